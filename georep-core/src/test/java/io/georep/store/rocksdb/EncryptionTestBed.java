package io.georep.store.rocksdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.store.RecordingListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;

/** A store with encryption keys, and what is on its disk as it is there. */
abstract class EncryptionTestBed {
    static final byte[] FIRST = {};
    static final byte[] LAST = {-1};
    static final String VALUE = "a value that should not be seen";
    static final EncryptionKey OLD = key("old", 1);
    static final EncryptionKey NEW = key("new", 2);
    static final EncryptionKeys OLD_ONLY = EncryptionKeys.of(OLD);
    static final EncryptionKeys NEW_ONLY = EncryptionKeys.of(NEW);
    static final EncryptionKeys NEW_AND_OLD = EncryptionKeys.of(NEW, OLD);

    @TempDir
    Path temporary;

    /** A started store. */
    static final class Session {
        private final RocksDbStore store;
        private final RecordingListener listener = new RecordingListener();
        private long batches;

        Session(RocksDbStore store) {
            this.store = store;
            store.start(listener);
        }

        void put(String key) {
            StoreBatch batch = new StoreBatch();
            batch.put(HexFormat.of().parseHex(key), Slice.utf8(VALUE));
            submit(batch);
        }

        void submit(StoreBatch batch) {
            batch.requireDurable();
            store.submit(batch);
            listener.awaitDurable(++batches);
        }
    }

    static EncryptionKey key(String id, int seed) {
        byte[] bytes = new byte[EncryptionKey.BYTES];
        Arrays.fill(bytes, (byte) seed);
        return EncryptionKey.of(id, bytes);
    }

    static RocksDbStoreConfig config(@Nullable EncryptionKeys keys) {
        return RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                .durability(Durability.OS)
                .minFreeBytes(0)
                .encryption(keys)
                .build();
    }

    RocksDbStore open(@Nullable EncryptionKeys keys) {
        return RocksDbStore.open(temporary, config(keys));
    }

    RocksDbStore openWith(EncryptionKeys keys, AtomicLong nanos) {
        Ticker ticker = new Ticker() {
            @Override
            public long nanos() {
                return nanos.get();
            }

            @Override
            public long wallMillis() {
                return 0;
            }
        };
        return RocksDbStore.open(temporary, config(keys), () -> Long.MAX_VALUE, ticker);
    }

    void put(@Nullable EncryptionKeys keys, String key) {
        try (RocksDbStore store = open(keys)) {
            new Session(store).put(key);
        }
    }

    void delete(EncryptionKeys keys, String key) {
        try (RocksDbStore store = open(keys)) {
            StoreBatch batch = new StoreBatch();
            batch.delete(HexFormat.of().parseHex(key));
            new Session(store).submit(batch);
        }
    }

    Map<String, String> content(@Nullable EncryptionKeys keys) {
        try (RocksDbStore store = open(keys)) {
            return contentOf(store);
        }
    }

    static Map<String, String> contentOf(RocksDbStore store) {
        Map<String, String> found = new TreeMap<>();
        store.scanNow(FIRST, LAST, (key, value) -> {
            found.put(HexFormat.of().formatHex(key), new String(value.toArray(), ISO_8859_1));
            return true;
        });
        assertThat(found.values()).allMatch(VALUE::equals);
        return found;
    }

    AbstractThrowableAssert<?, ? extends Throwable> assertRefused(@Nullable EncryptionKeys keys, Kind kind) {
        return assertThatThrownBy(() -> open(keys).close())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    AbstractThrowableAssert<?, ? extends Throwable> assertMissing(@Nullable EncryptionKeys keys, String id) {
        return assertRefused(keys, Kind.KEY_MISSING).hasMessageContaining("needs encryption key '" + id + "'");
    }

    String properties() throws IOException {
        return Files.readString(temporary.resolve(StoreDirectory.PROPERTIES));
    }

    String files() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path file : new StoreImage(temporary).files()) {
            all.append(Files.readString(file, ISO_8859_1));
        }
        return all.toString();
    }

    void deleteDirectory() throws IOException {
        new StoreImage(temporary).delete();
    }

    boolean isEncrypted(String key) throws Exception {
        return !new String(raw().get(key), ISO_8859_1).equals(VALUE);
    }

    SealedRecord.Header header(String key) throws Exception {
        return SealedRecord.Header.read(raw().get(key));
    }

    void collect(Set<String> nonces) throws Exception {
        raw().values().forEach(record -> {
            SealedRecord.Header header = SealedRecord.Header.read(record);
            nonces.add(HexFormat.of().formatHex(header.salt()) + " " + header.number());
        });
    }

    /** What is stored, by key, as it is stored. */
    Map<String, byte[]> raw() throws Exception {
        Map<String, byte[]> found = new TreeMap<>();
        String data = temporary.resolve(StoreDirectory.DATA).toString();
        try (RocksDB library = RocksDB.openReadOnly(data);
                RocksIterator pairs = library.newIterator()) {
            for (pairs.seekToFirst(); pairs.isValid(); pairs.next()) {
                if (!Arrays.equals(pairs.key(), Database.WRITE_NUMBER_KEY)) {
                    found.put(HexFormat.of().formatHex(pairs.key()), pairs.value());
                }
            }
        }
        return found;
    }

    /** Puts a record there as it is. */
    void tamper(String key, byte[] record) throws Exception {
        RocksDbStoreConfig config = config(null);
        try (StoreDirectory directory = StoreDirectory.open(temporary, config);
                DurableMark mark = DurableMark.open(directory.mark());
                Database database = Database.open(directory.data(), config, false, new Encryption(directory, null));
                StoreWrite group = new StoreWrite(database.encryption())) {
            StoreBatch batch = new StoreBatch();
            batch.put(HexFormat.of().parseHex(key), Slice.of(record));
            group.add(batch);
            database.write(group, true);
            mark.look(directory.data());
            mark.reset(database.writeNumber());
        }
    }
}
