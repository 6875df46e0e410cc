package io.georep.outbox.core;

import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.spi.GuardedSelection;
import io.georep.spi.PeerSelection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The queues whose entries this node hands over instead of forwarding them, and who may take them (6.18). */
final class Heirs {
    private final Peers peers;
    private final Map<String, Predicate<PeerSelection.Candidate>> queues = new HashMap<>();

    Heirs(Peers peers) {
        this.peers = peers;
    }

    void set(String queue, Predicate<PeerSelection.Candidate> heirs) {
        queues.put(queue, GuardedSelection.of(heirs));
    }

    /** Whether entries of any queue are handed over. */
    boolean any() {
        return !queues.isEmpty();
    }

    boolean handsOver(String queue) {
        return queues.containsKey(queue);
    }

    /** Which peers may take entries of this queue; null if this node does not hand them over. */
    @Nullable
    Predicate<PeerSelection.Candidate> of(String queue) {
        return queues.get(queue);
    }

    /** Whether this node hands entries of the queue over, and this peer is one of those that may take them. */
    boolean has(String queue, Peer peer) {
        Predicate<PeerSelection.Candidate> heirs = queues.get(queue);
        return heirs != null && heirs.test(new PeerSelection.Candidate(peer.id(), peer.site(), peer.rttMinNanos()));
    }

    /** Whether an heir is among the owners of an entry and has not been given up. Such an entry is handed over in the end. */
    boolean expected(String queue, Custody custody) {
        return custody.others(peers.self().id()).stream()
                .map(peers::find)
                .anyMatch(peer -> peer != null && !isLost(peer) && has(queue, peer));
    }

    /** Whether a peer takes nothing over any more. */
    private static boolean isLost(Peer peer) {
        return peer.state() == PeerState.TERMINATED || peer.drained() || peer.removed();
    }
}
