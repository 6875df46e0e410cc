package io.georep;

import io.georep.model.ConfigurationException;
import io.georep.model.StoreState;
import io.georep.spi.ProtocolStatistics;
import java.util.Map;

/**
 * What a node did since it was started and what it holds.
 *
 * @param store whether the store takes new entries and copies
 * @param turns turns of the driver
 * @param inputs inputs handled in those turns
 * @param framesRefused frames of peers that could not be read, each of which cost its link; the log says whose
 * @param messagesIgnored messages of peers on channels, or of types, that this node does not know; the log says whose
 * @param messagesWithheld messages that were not sent because the peer does not host their protocol
 * @param protocols what each protocol of the node did and holds, by the protocol's name
 */
public record NodeStatistics(
        StoreState store,
        long turns,
        long inputs,
        long framesRefused,
        long messagesIgnored,
        long messagesWithheld,
        Map<String, ProtocolStatistics> protocols) {

    /** Copies the map. */
    public NodeStatistics {
        protocols = Map.copyOf(protocols);
    }

    /**
     * Returns the statistics of this type, for example {@link io.georep.outbox.OutboxActivity}.
     *
     * @throws ConfigurationException when no protocol of the node has any
     */
    public <S extends ProtocolStatistics> S of(Class<S> type) {
        for (ProtocolStatistics statistics : protocols.values()) {
            if (type.isInstance(statistics)) {
                return type.cast(statistics);
            }
        }
        throw new ConfigurationException(
                "no protocol of this node has statistics of type " + type.getName() + ": it has " + protocols.keySet());
    }
}
