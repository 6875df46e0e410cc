package io.georep.funnel.local;

import io.georep.model.ConfigurationException;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The keys of one map as the protocol knows them: one byte with the length of the map's name, the name, the key. */
final class MapKey {
    private static final int NAME_BYTES_MAX = 255;

    private final String map;
    private final byte[] prefix;

    MapKey(String map) {
        byte[] name = map.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > NAME_BYTES_MAX) {
            throw new ConfigurationException("the name of replicated map '" + map + "' has " + name.length
                    + " bytes, allowed are 1 to " + NAME_BYTES_MAX);
        }
        this.map = map;
        this.prefix = new byte[name.length + 1];
        prefix[0] = (byte) name.length;
        System.arraycopy(name, 0, prefix, 1, name.length);
    }

    String map() {
        return map;
    }

    /** Returns the protocol's key. Copies the bytes. */
    Slice of(byte[] key) {
        byte[] full = Arrays.copyOf(prefix, prefix.length + key.length);
        System.arraycopy(key, 0, full, prefix.length, key.length);
        return Slice.of(full);
    }

    /** Returns whether a key of the protocol is one of this map. */
    boolean isOf(Slice fullKey) {
        int from = fullKey.offset();
        return fullKey.length() >= prefix.length
                && Arrays.equals(fullKey.array(), from, from + prefix.length, prefix, 0, prefix.length);
    }

    /** Returns the map's key in a key of the protocol. */
    Slice keyOf(Slice fullKey) {
        return new Slice(fullKey.array(), fullKey.offset() + prefix.length, fullKey.length() - prefix.length);
    }

    /** Returns the name of the map that a key of the protocol belongs to. */
    static String mapOf(Slice fullKey) {
        int length = fullKey.array()[fullKey.offset()] & 0xff;
        return new String(fullKey.array(), fullKey.offset() + 1, length, StandardCharsets.UTF_8);
    }
}
