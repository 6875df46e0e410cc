package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import io.georep.model.StoreException.Kind;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is on disk when there are encryption keys, and what becomes of it when these change. */
class EncryptedStoreTest extends EncryptionTestBed {
    @Test
    void noValueCanBeReadFromTheFiles() throws Exception {
        put(null, "01");
        assertThat(files()).as("so that the test could fail").contains(VALUE);
        deleteDirectory();

        put(OLD_ONLY, "01");
        assertThat(files()).as("log").doesNotContain(VALUE);
        open(OLD_ONLY).close();
        assertThat(files()).as("table files").doesNotContain(VALUE);

        assertThat(content(OLD_ONLY)).containsExactly(Map.entry("01", VALUE));
    }

    @Test
    void whatWasThereBeforeStaysReadableAndWhatComesIsEncrypted() throws Exception {
        put(null, "01");
        put(OLD_ONLY, "02");

        assertThat(content(OLD_ONLY)).containsOnlyKeys("01", "02");
        assertThat(isEncrypted("01")).isFalse();
        assertThat(isEncrypted("02")).isTrue();

        put(OLD_ONLY, "01");
        assertThat(isEncrypted("01")).isTrue();
        assertThat(properties()).contains("encryption.plain=true");
        open(OLD_ONLY).close();
        assertThat(properties()).as("after a look at all records").contains("encryption.plain=false");
    }

    @Test
    void switchedOffItReadsWhatIsEncryptedAndWritesPlainRecords() throws Exception {
        put(OLD_ONLY, "01");
        put(OLD_ONLY.readingOnly(), "02");

        assertThat(content(OLD_ONLY.readingOnly())).containsOnlyKeys("01", "02");
        assertThat(isEncrypted("01")).isTrue();
        assertThat(isEncrypted("02")).isFalse();
        assertMissing(null, "old").hasMessageContaining("for 1 records, and no encryption keys are given");

        delete(OLD_ONLY.readingOnly(), "01");
        assertThat(content(null)).as("nothing needs the key").containsOnlyKeys("02");
        assertThat(properties()).contains("format=1").doesNotContain("encryption");
    }

    @Test
    void aMissingKeyIsNamedAndNothingIsLost() throws Exception {
        put(OLD_ONLY, "01");
        put(NEW_AND_OLD, "02");

        assertMissing(NEW_ONLY, "old")
                .hasMessageContaining(temporary.toString())
                .hasMessageContaining("for 1 records, and it is not among the encryption keys")
                .hasMessageContaining("in a key file by a line behind the first one")
                .hasMessageContaining("nothing is lost");
        assertMissing(OLD_ONLY, "new");

        assertThat(content(NEW_AND_OLD)).containsOnlyKeys("01", "02");
    }

    @Test
    void aKeyThatNoRecordNeedsMayGo() throws Exception {
        put(OLD_ONLY, "01");
        put(NEW_AND_OLD, "01");

        assertThat(content(NEW_ONLY)).containsOnlyKeys("01");
        assertThat(properties()).contains("encryption.keys=new\\:").doesNotContain("old");
    }

    @Test
    void anotherKeyUnderTheSameIdIsRefused() throws Exception {
        put(OLD_ONLY, "01");

        assertRefused(EncryptionKeys.of(key("old", 3)), Kind.KEY_MISSING)
                .hasMessageContaining("'old' is not the one that records here are encrypted with");
        assertRefused(EncryptionKeys.of(NEW, key("old", 3)), Kind.KEY_MISSING);
        assertThat(content(OLD_ONLY)).containsOnlyKeys("01");
    }

    @Test
    void theKeyChangesWhileTheStoreIsOpen() throws Exception {
        ChangingKeys keys = new ChangingKeys(OLD);
        AtomicLong nanos = new AtomicLong();
        try (RocksDbStore store = openWith(keys, nanos)) {
            Session session = new Session(store);
            session.put("01");
            keys.current.set(NEW);
            nanos.addAndGet(2_000_000_000L);
            session.put("02");
            keys.current.set(null);
            nanos.addAndGet(2_000_000_000L);
            session.put("03");
            assertThat(contentOf(store)).containsOnlyKeys("01", "02", "03");
        }

        assertThat(header("01").id()).isEqualTo("old");
        assertThat(header("02").id()).isEqualTo("new");
        assertThat(isEncrypted("03")).isFalse();
        assertMissing(OLD_ONLY, "new");
        assertThat(content(NEW_AND_OLD)).containsOnlyKeys("01", "02", "03");
    }

    /** The directory must say that it needs a key before a record does. */
    @Test
    void goesOnWithTheOldKeyWhileTheNewOneCannotBeNoted() throws Exception {
        ChangingKeys keys = new ChangingKeys(OLD);
        AtomicLong nanos = new AtomicLong();
        Path obstacle = temporary.resolve(StoreDirectory.PROPERTIES + ".tmp");
        try (RocksDbStore store = openWith(keys, nanos)) {
            Session session = new Session(store);
            Files.createDirectory(obstacle);
            keys.current.set(NEW);
            nanos.addAndGet(2_000_000_000L);
            session.put("01");
            Files.delete(obstacle);
            nanos.addAndGet(2_000_000_000L);
            session.put("02");
            keys.current.set(key("old", 3));
            nanos.addAndGet(2_000_000_000L);
            session.put("03");
        }

        assertThat(header("01").id()).isEqualTo("old");
        assertThat(header("02").id()).isEqualTo("new");
        assertThat(header("03").id()).as("another key under a known id").isEqualTo("new");
    }

    /** Starts of the store, of a copy, and of the directory as it was before: they all may write under the same key. */
    @Test
    void noNonceIsUsedTwiceWithTheSameKey() throws Exception {
        put(OLD_ONLY, "01");
        StoreImage before = StoreImage.copyOf(temporary, temporary.resolveSibling("before"));
        Set<String> nonces = new TreeSet<>();
        int records = 0;
        for (int start = 0; start < 3; start++) {
            try (RocksDbStore store = open(OLD_ONLY)) {
                Session session = new Session(store);
                for (int i = 0; i < 5; i++) {
                    session.put("02" + HexFormat.of().toHexDigits((byte) records++));
                }
            }
            if (start == 1) {
                collect(nonces);
                deleteDirectory();
                before.copyTo(temporary);
            }
        }
        collect(nonces);
        before.delete();

        assertThat(nonces)
                .as("salts and numbers of all records, and of the first")
                .hasSize(records + 1);
    }

    @Test
    void aSaltIsReplacedBeforeItsNumbersEnd() {
        AtomicLong salts = new AtomicLong();
        EncryptionNote.Marker marker = EncryptionNote.Marker.random();
        RecordSealer sealer = new RecordSealer(
                marker,
                OLD,
                () -> ByteBuffer.allocate(SealedRecord.SALT_BYTES)
                        .putLong(salts.incrementAndGet())
                        .array(),
                3);

        Set<String> nonces = new TreeSet<>();
        for (int i = 0; i < 8; i++) {
            SealedRecord.Header header = SealedRecord.Header.read(
                    sealer.seal(FIRST, Slice.utf8(VALUE)).toArray());
            assertThat(header.number()).isEqualTo(i % 3);
            nonces.add(HexFormat.of().formatHex(header.salt()) + header.number());
        }
        assertThat(nonces).hasSize(8);
    }

    /** Keys of which another one is current from time to time. */
    private static final class ChangingKeys implements EncryptionKeys {
        final AtomicReference<@Nullable EncryptionKey> current = new AtomicReference<>();

        ChangingKeys(EncryptionKey first) {
            current.set(first);
        }

        @Override
        public @Nullable EncryptionKey current() {
            return current.get();
        }

        @Override
        public @Nullable EncryptionKey find(String id) {
            return NEW_AND_OLD.find(id);
        }
    }
}
