package io.georep.outbox;

import io.georep.model.NodeId;
import io.georep.model.Profile;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreState;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;

/** What the parts of the outbox protocol share. */
final class OutboxContext {
    final Peers peers;
    final ProtocolConfig config;
    final PeerSelection selection;
    final Ledger ledger = new Ledger();
    final Outgoing outgoing;
    final Questions questions;
    final Leases leases;
    final Counters counters = new Counters();

    /** Whether the store takes new entries. */
    StoreState store = StoreState.READY;

    /** Whether a node that cedes entries keeps a copy of them (gap G6); without that, the next crash may lose them. */
    boolean keepsCededCopies;

    /** Whether the application lets this node adopt. */
    boolean adoptionAllowed = true;

    /** Totals since boot. */
    static final class Counters {
        long accepted;
        long acknowledged;
        long rejected;
        long indeterminate;
        long forwarded;
        long adopted;
        long ceded;
        long replaced;
    }

    OutboxContext(Peers peers, ProtocolConfig config, PeerSelection selection) {
        this.peers = peers;
        this.config = config;
        this.keepsCededCopies = config.profile() == Profile.HARDENED;
        this.selection = selection;
        ledger.age.lifeOfTombstones(config.tombstoneLife().toNanos());
        this.outgoing = new Outgoing(peers);
        this.questions = new Questions(peers, outgoing);
        this.leases = new Leases(this);
    }

    NodeId self() {
        return peers.self().id();
    }

    boolean hardened() {
        return config.profile() == Profile.HARDENED;
    }

    /** Peers that may get new copies now, in the order of their names. */
    List<PeerSelection.Candidate> candidates(long now) {
        List<PeerSelection.Candidate> candidates = new ArrayList<>();
        for (Peer peer : peers.all()) {
            if (peer.selectable(now)) {
                candidates.add(new PeerSelection.Candidate(peer.id(), peer.site(), peer.rttMinNanos()));
            }
        }
        return candidates;
    }

    /** Chooses {@code count} peers but none of these; fewer when there are not as many. */
    List<NodeId> choose(int count, Collection<NodeId> excluded, long now, RandomGenerator random) {
        List<PeerSelection.Candidate> candidates = candidates(now);
        candidates.removeIf(candidate -> excluded.contains(candidate.id()));
        List<PeerSelection.Candidate> ordered =
                selection.order(candidates, peers.self().site(), count, random);
        List<NodeId> chosen = new ArrayList<>(count);
        for (PeerSelection.Candidate candidate : ordered.subList(0, Math.min(count, ordered.size()))) {
            chosen.add(candidate.id());
        }
        return chosen;
    }

    boolean isSelectable(NodeId id, long now) {
        Peer peer = peers.find(id);
        return peer != null && peer.selectable(now);
    }
}
