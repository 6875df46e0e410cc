package io.georep.flagons;

import io.georep.model.ConfigurationException;
import io.georep.spi.PayloadCodec;
import java.util.concurrent.CompletionStage;

/**
 * The fleet maps of a node. A node has them if its builder got {@code fleet(...)}; {@code node.service(FleetMaps.class)} returns them.
 * Thread-safe.
 */
public interface FleetMaps {
    /** The longest name of a map, in bytes. */
    int NAME_BYTES_MAX = 64;

    /** The longest key, in bytes. */
    int KEY_BYTES_MAX = 256;

    /** The longest value, in bytes. */
    int VALUE_BYTES_MAX = 8 * 1024;

    /**
     * Returns the map of this name. It is the same on all nodes of the fleet, which need the same codecs.
     *
     * @param name 1 to {@link #NAME_BYTES_MAX} bytes of UTF-8
     * @param keys writes equal keys as equal bytes, at most {@link #KEY_BYTES_MAX}
     * @param values writes values, at most {@link #VALUE_BYTES_MAX} bytes
     * @throws ConfigurationException if the name is empty or too long
     */
    <K, V> FleetMap<K, V> map(String name, PayloadCodec<K> keys, PayloadCodec<V> values);

    /** Reads what this node knows of itself and the fleet. Fails with {@link io.georep.model.ClosedException} if the node is stopped. */
    CompletionStage<FleetStatistics> readStatistics();
}
