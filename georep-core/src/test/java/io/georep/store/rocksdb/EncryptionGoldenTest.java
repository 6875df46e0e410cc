package io.georep.store.rocksdb;

import io.georep.codec.GoldenFormats;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;

/** Bytes of an encrypted value, and of what the directory says about encryption. */
class EncryptionGoldenTest extends GoldenFormats {
    private static final byte[] STORE_KEY = {2, 'G', 1, 'a'};
    private static final EncryptionKeys KEYS =
            EncryptionKeys.of(EncryptionKey.of("2026-07", counting(EncryptionKey.BYTES)));
    private static final EncryptionNote NOTE = new EncryptionNote(
                    new EncryptionNote.Marker(counting(EncryptionNote.Marker.BYTES)), new TreeMap<>(), false)
            .with(KEYS.current());

    @TempDir
    Path temporary;

    @Override
    protected String file() {
        return "store-encryption";
    }

    @Override
    protected List<Format> formats() {
        RecordSealer sealer =
                new RecordSealer(NOTE.marker(), KEYS.current(), () -> counting(SealedRecord.SALT_BYTES), 1000);
        Slice value = Slice.utf8("the value");
        Slice first = Slice.of(sealer.seal(STORE_KEY, value).toArray());
        Slice second = Slice.of(sealer.seal(STORE_KEY, value).toArray());
        return List.of(
                new Format("first value of a start", SealedRecord.VERSION, first.toArray(), value, this::open),
                new Format("second value of a start", SealedRecord.VERSION, second.toArray(), value, this::open),
                new Format(
                        "lines of georep.properties",
                        StoreDirectory.FORMAT,
                        lines(NOTE),
                        text(NOTE),
                        bytes -> text(EncryptionNote.read(properties(bytes)))));
    }

    private Slice open(byte[] record) {
        RocksDbStoreConfig config =
                RocksDbStoreConfig.builder(NodeId.of("a"), "test").build();
        try (StoreDirectory directory = StoreDirectory.open(temporary, config)) {
            directory.note(NOTE);
            return new RecordOpener(new Encryption(directory, KEYS)).open(STORE_KEY, record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] lines(EncryptionNote note) {
        Properties properties = new Properties();
        note.write(properties);
        return new TreeMap<>(properties)
                .entrySet().stream()
                        .map(line -> line.getKey() + "=" + line.getValue())
                        .collect(Collectors.joining("\n"))
                        .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(EncryptionNote note) {
        return new String(lines(note), StandardCharsets.ISO_8859_1);
    }

    private static Properties properties(byte[] lines) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(new String(lines, StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    private static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }
}
