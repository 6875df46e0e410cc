package io.georep.model;

import java.util.Map;

/** What a protocol has done since its node was started, and what it holds now. Immutable. */
public interface ProtocolStatistics {
    /** The statistics of a protocol that counts nothing. */
    ProtocolStatistics NONE = to -> {};

    /** Passes on every figure that is worth a meter. */
    void measure(Measures to);

    /**
     * Returns the few figures that tell an operator whether the protocol is well. They become details of the node's health. The
     * values are numbers, texts, or collections of them.
     */
    default Map<String, Object> summary() {
        return Map.of();
    }
}
