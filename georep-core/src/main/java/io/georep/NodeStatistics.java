package io.georep;

import io.georep.model.ConfigurationException;
import io.georep.model.ProtocolStatistics;
import io.georep.model.StoreState;
import java.util.Map;

/**
 * What a node has done since it was started, and what it holds now.
 *
 * @param store whether the store takes new entries and copies
 * @param turns turns of the driver
 * @param inputs inputs that were handled in these turns
 * @param framesRefused frames that could not be read; each cost the link on which it came. The log says which peer sent it
 * @param connectionsDistrusted connections in either direction that ended because one side had not proved to the other who it
 *     is. The log says with which address
 * @param decisionsIgnored decisions over other nodes, such as removals, that this node did not believe, because the peer that
 *     told them may not decide. The log says which peer
 * @param messagesIgnored messages on channels, or of types, that this node does not know; also those of nodes that are no
 *     peers, if no protocol hears such nodes or too many wait. The log says which node sent the first one
 * @param messagesWithheld messages that this node did not send, because the peer does not host their protocol
 * @param protocols what each protocol of the node has done and holds, by the protocol's name. For a protocol that does not tell
 *     it within eight seconds, for example because a callback is stuck, only a summary that says so
 */
public record NodeStatistics(
        StoreState store,
        long turns,
        long inputs,
        long framesRefused,
        long connectionsDistrusted,
        long decisionsIgnored,
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
     * @throws ConfigurationException if no protocol of the node has such statistics, or the one that has does not tell them
     */
    public <S extends ProtocolStatistics> S of(Class<S> type) {
        for (ProtocolStatistics statistics : protocols.values()) {
            if (type.isInstance(statistics)) {
                return type.cast(statistics);
            }
        }
        throw new ConfigurationException("no protocol of this node tells statistics of type " + type.getName()
                + ": it has " + protocols.keySet());
    }
}
