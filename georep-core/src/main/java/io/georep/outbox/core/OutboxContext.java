package io.georep.outbox.core;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreState;
import io.georep.protocol.Candidates;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.PeerSelection;
import java.util.List;

/** What the parts of the outbox protocol share. */
final class OutboxContext {
    final Peers peers;
    final ProtocolConfig config;
    final Candidates candidates;
    final Ledger ledger = new Ledger();
    final Outgoing outgoing;
    final OpenQueries openQueries;
    final Leases leases;
    final Attempts attempts = new Attempts(this);
    final Recalls recalls = new Recalls();
    final AdoptionRights rights;
    final HandOverTargets handOverTargets;
    final Counters counters = new Counters();
    final SenderRights senderRights = new SenderRights(this);

    /** Whether the store takes new entries. */
    StoreState store = StoreState.READY;

    /** Whether a node that cedes entries keeps a copy of them (gap G6); without that, the next crash may lose them. */
    boolean keepsCededCopies = true;

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
        long endsRefused;
    }

    OutboxContext(Peers peers, ProtocolConfig config, PeerSelection selection) {
        this.peers = peers;
        this.rights = new AdoptionRights(peers);
        this.handOverTargets = new HandOverTargets(peers, rights);
        this.config = config;
        this.candidates = new Candidates(peers, selection, config.heartbeat().toNanos(), OutboxProtocol.CHANNEL);
        ledger.age.lifeOfTombstones(config.tombstoneLife().toNanos());
        this.outgoing = new Outgoing(peers);
        this.openQueries = new OpenQueries(peers, outgoing);
        this.leases = new Leases(this);
        ledger.follower = attempts;
    }

    /** Returns whether this boot of this node gives the numbers of a stream: it knows all of its entries. */
    boolean isOfThisBoot(StreamTable table) {
        return table.id.origin().equals(self()) && table.id.boot() == ledger.boot();
    }

    /** Says and notes what the turn came to. */
    void endOfTurn(Turn turn) {
        attempts.endOfTurn(turn);
        recalls.endOfTurn(turn);
        outgoing.flush(turn);
        ledger.flush(turn);
    }

    /** Makes sure that owners whom a peer names are known; false when it has named too many that nobody met (M33). */
    boolean knows(List<NodeId> owners, NodeId teller, Turn turn) {
        for (NodeId owner : owners) {
            if (!owner.equals(self()) && turn.ensurePeer(owner, teller) == null) {
                return false;
            }
        }
        return true;
    }

    NodeId self() {
        return peers.self().id();
    }
}
