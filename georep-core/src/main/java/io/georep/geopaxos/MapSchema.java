package io.georep.geopaxos;

import io.georep.model.ConfigurationException;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The name of an ordered map, and how its keys and values are written. Keys are sorted by their bytes, taken as unsigned: {@link
 * PayloadCodec#string} sorts text by its code points; write numbers with the most significant byte first. All nodes need the same codecs.
 *
 * @param name 1 to 64 bytes of UTF-8
 * @param keys writes equal keys as equal bytes, at most {@link OrderedMaps#KEY_BYTES_MAX}
 * @param values writes values, at most {@link OrderedMaps#VALUE_BYTES_MAX} bytes
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public record MapSchema<K, V>(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
    private static final int NAME_BYTES_MAX = 64;

    /**
     * Checks the name.
     *
     * @throws ConfigurationException if it is empty or too long
     */
    public MapSchema {
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(values, "values");
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > NAME_BYTES_MAX) {
            throw new ConfigurationException(
                    "the name of an ordered map has " + bytes + " bytes, allowed are 1 to " + NAME_BYTES_MAX);
        }
    }
}
