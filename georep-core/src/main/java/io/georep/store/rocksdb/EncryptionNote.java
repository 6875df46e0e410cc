package io.georep.store.rocksdb;

import io.georep.spi.EncryptionKey;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a directory says about the encryption of its records, in {@link StoreDirectory#PROPERTIES}. It is on disk before the
 * first record that it is about.
 *
 * @param marker begins every encrypted record; random, so that no record that is not encrypted begins with it
 * @param keys the keys that records may need: by id, what tells the key from others of the same id
 * @param hasPlain whether there may be records that are not encrypted
 */
record EncryptionNote(Marker marker, SortedMap<String, String> keys, boolean hasPlain) {
    private static final String MARKER = "encryption.marker";
    private static final String KEYS = "encryption.keys";
    private static final String PLAIN = "encryption.plain";
    private static final String CHECK = "georep store 1 check";
    private static final int CHECK_BYTES = 8;

    /** A few random bytes. */
    record Marker(byte[] bytes) {
        static final int BYTES = 8;

        static Marker random() {
            byte[] bytes = new byte[BYTES];
            new SecureRandom().nextBytes(bytes);
            return new Marker(bytes);
        }

        boolean begins(byte[] record) {
            return record.length >= BYTES && Arrays.equals(record, 0, BYTES, bytes, 0, BYTES);
        }
    }

    /** Returns bytes that tell a key from another one with the same id. */
    static String check(EncryptionKey key) {
        byte[] derived = key.derive(CHECK, new byte[0]);
        return HexFormat.of().formatHex(derived, 0, CHECK_BYTES);
    }

    /**
     * Returns what the properties say; null if nothing was ever encrypted.
     *
     * @throws IllegalArgumentException if they say it in another form
     */
    static @Nullable EncryptionNote read(Properties properties) {
        String marker = properties.getProperty(MARKER);
        if (marker == null) {
            return null;
        }
        byte[] bytes = HexFormat.of().parseHex(marker);
        if (bytes.length != Marker.BYTES) {
            throw new IllegalArgumentException(MARKER + " has " + bytes.length + " bytes");
        }
        SortedMap<String, String> keys = new TreeMap<>();
        for (String key : properties.getProperty(KEYS, "").split(",", -1)) {
            int colon = key.indexOf(':');
            if (colon > 0) {
                keys.put(key.substring(0, colon), key.substring(colon + 1));
            } else if (!key.isEmpty()) {
                throw new IllegalArgumentException(KEYS + " names a key without a check");
            }
        }
        return new EncryptionNote(new Marker(bytes), keys, !"false".equals(properties.getProperty(PLAIN)));
    }

    void write(Properties properties) {
        properties.setProperty(MARKER, HexFormat.of().formatHex(marker.bytes));
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> key : keys.entrySet()) {
            text.append(text.isEmpty() ? "" : ",")
                    .append(key.getKey())
                    .append(':')
                    .append(key.getValue());
        }
        properties.setProperty(KEYS, text.toString());
        properties.setProperty(PLAIN, String.valueOf(hasPlain));
    }

    EncryptionNote with(EncryptionKey key) {
        SortedMap<String, String> more = new TreeMap<>(keys);
        more.put(key.id(), check(key));
        return new EncryptionNote(marker, more, hasPlain);
    }

    EncryptionNote withPlain() {
        return new EncryptionNote(marker, keys, true);
    }

    /** Returns what is left of the note once it is known which records there are. */
    EncryptionNote limitedTo(Iterable<String> ids, boolean plain) {
        SortedMap<String, String> left = new TreeMap<>();
        for (String id : ids) {
            String check = keys.get(id);
            if (check != null) {
                left.put(id, check);
            }
        }
        return new EncryptionNote(marker, left, plain);
    }

    /** Returns whether records that need this id can be read with this key. */
    boolean agrees(EncryptionKey key) {
        String noted = keys.get(key.id());
        return noted == null || noted.equals(check(key));
    }
}
