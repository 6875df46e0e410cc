package io.georep.outbox.core.context;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.spi.GuardedSelection;
import io.georep.spi.PeerSelection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The queues whose entries this node hands over instead of forwarding them, and who may take them (6.18). */
public final class HandOverTargets {
    private final Peers peers;
    private final AdoptionRights rights;
    private final Map<String, Predicate<PeerSelection.Candidate>> queues = new HashMap<>();

    HandOverTargets(Peers peers, AdoptionRights rights) {
        this.peers = peers;
        this.rights = rights;
    }

    public void set(String queue, Predicate<PeerSelection.Candidate> targets) {
        queues.put(queue, GuardedSelection.of(targets));
    }

    /** Returns whether entries of any queue are handed over. */
    public boolean any() {
        return peers.selfDrained() || !queues.isEmpty();
    }

    /**
     * Returns whether entries of this queue are handed over, because the application does not forward them or this node
     * is drained.
     */
    public boolean handsOver(String queue) {
        return peers.selfDrained() || queues.containsKey(queue);
    }

    /** Returns which peers may take entries of this queue; null if this node does not hand them over. */
    @Nullable
    public Predicate<PeerSelection.Candidate> of(String queue) {
        return queues.get(queue);
    }

    /** Returns whether a peer is one of those that the application named for this queue; any is if it named none. */
    private boolean isNamed(String queue, Peer peer) {
        Predicate<PeerSelection.Candidate> targets = queues.get(queue);
        return targets == null || targets.test(new PeerSelection.Candidate(peer.id(), peer.site(), peer.rttMinNanos()));
    }

    /** Returns whether a peer may take entries of this queue over when it is there. */
    public boolean suits(String queue, @Nullable Peer peer) {
        return peer != null && !isLost(peer) && rights.mayAdopt(peer) && isNamed(queue, peer);
    }

    /** Returns whether an entry has an owner, present or expected back, to which it will be handed over. */
    public boolean expected(String queue, Custody custody) {
        return custody.others(peers.self().id()).stream().anyMatch(owner -> suits(queue, peers.find(owner)));
    }

    /**
     * Returns the first other owner to which an entry can be handed over now. A drained node falls back to any owner
     * that can adopt.
     */
    @Nullable
    public NodeId among(String queue, Custody custody) {
        NodeId any = null;
        for (NodeId owner : custody.others(peers.self().id())) {
            Peer peer = peers.find(owner);
            if (peer == null || peer.state() != PeerState.ACTIVE || isLost(peer)) {
                continue;
            }
            if (suits(queue, peer)) {
                return owner;
            }
            any = any == null && rights.mayAdopt(peer) ? owner : any;
        }
        return peers.selfDrained() ? any : null;
    }

    /** Returns whether a peer takes nothing over any more. */
    private static boolean isLost(Peer peer) {
        return peer.state() == PeerState.TERMINATED || peer.drained() || peer.removed();
    }
}
