package io.georep.outbox.core.context;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreState;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.Outgoing;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Candidates;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.PeerSelection;
import java.util.List;

/** What the parts of the outbox protocol share. */
public final class OutboxContext {
    public final Peers peers;
    public final ProtocolConfig config;
    public final Candidates candidates;
    public final Ledger ledger = new Ledger();
    public final Outgoing outgoing;
    public final OpenQueries openQueries;
    public final Leases leases;
    public final Attempts attempts = new Attempts(this);
    public final Recalls recalls = new Recalls();
    public final AdoptionRights rights;
    public final HandOverTargets handOverTargets;
    public final Counters counters = new Counters();
    public final SenderRights senderRights = new SenderRights(this);
    public final Takeovers takeovers = new Takeovers(this);

    /** Whether the store takes new entries. */
    public StoreState store = StoreState.READY;

    /** Whether a node that cedes entries keeps a copy of them (gap G6); without that, the next crash may lose them. */
    public boolean keepsCededCopies = true;

    /** Totals since boot. */
    public static final class Counters {
        public long accepted;
        public long acknowledged;
        public long rejected;
        public long indeterminate;
        public long forwarded;
        public long adopted;
        public long ceded;
        public long replaced;
        public long endsRefused;
    }

    public OutboxContext(Peers peers, ProtocolConfig config, PeerSelection selection) {
        this.peers = peers;
        this.rights = new AdoptionRights(peers);
        this.handOverTargets = new HandOverTargets(peers, rights);
        this.config = config;
        this.candidates = new Candidates(peers, selection, config.heartbeat().toNanos(), OutboxKeys.CHANNEL);
        ledger.age.lifeOfTombstones(config.tombstoneLife().toNanos());
        this.outgoing = new Outgoing(peers);
        this.openQueries = new OpenQueries(peers, outgoing);
        this.leases = new Leases(this);
        ledger.follower = attempts;
    }

    /** Returns whether this boot of this node gives the numbers of a stream: it knows all of its entries. */
    public boolean isOfThisBoot(StreamTable table) {
        return table.id.origin().equals(self()) && table.id.boot() == ledger.boot();
    }

    /** Says and notes what the turn came to. */
    public void endOfTurn(Turn turn) {
        attempts.endOfTurn(turn);
        recalls.endOfTurn(turn);
        outgoing.flush(turn);
        ledger.flush(turn);
    }

    /** Makes sure that owners whom a peer names are known; false when it has named too many that nobody met (M33). */
    public boolean knows(List<NodeId> owners, NodeId teller, Turn turn) {
        for (NodeId owner : owners) {
            if (!owner.equals(self()) && turn.ensurePeer(owner, teller) == null) {
                return false;
            }
        }
        return true;
    }

    public NodeId self() {
        return peers.self().id();
    }
}
