package io.georep.spi;

import java.util.Map;

/** What a protocol did since its node was started, and what it holds. Immutable. */
public interface ProtocolStatistics {
    /** Of a protocol that counts nothing. */
    ProtocolStatistics NONE = to -> {};

    /** Gives every figure that is worth a meter. */
    void measure(Measures to);

    /**
     * Returns the few figures that tell an operator how the protocol is: they become details of the node's health.
     * Values are numbers, texts, or collections of them.
     */
    default Map<String, Object> summary() {
        return Map.of();
    }
}
