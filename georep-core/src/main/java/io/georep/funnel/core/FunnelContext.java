package io.georep.funnel.core;

import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.View;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Version;
import io.georep.funnel.core.ways.Planner;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.StoreBatch;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the parts of the protocol share. */
final class FunnelContext {
    /** More than all members can have under way in the worst case: 64 with a million each. */
    static final long CLOCK_AHEAD_MAX = 1L << 28;

    private static final long BOOTS_MAX = (1 << 20) - 1;

    final FunnelSettings settings;
    final Peers peers;
    final Mirror mirror;
    final Shown shown;
    final Standing standing = new Standing();
    final Progress progress = new Progress();
    final Tables tables;
    final Uncommitted writes;
    final OwnWrites own = new OwnWrites();
    final LateWrites late;
    final Planner planner;

    /** Whether a crash loses what the store was given: then no member waits for its store before it reports a write. */
    final boolean isVolatile;

    /** A page of a transfer ends with the commit that reaches this many bytes. Tests have smaller pages. */
    int pageBytes = 256 << 10;

    final BinWriter scratch = new BinWriter(1024);
    final FunnelFigures figures = new FunnelFigures();

    private StoreState storeState = StoreState.READY;
    private long clock;

    FunnelContext(FunnelSettings settings, Peers peers, Mirror mirror, Durability durability) {
        this.settings = settings;
        this.peers = peers;
        this.mirror = mirror;
        shown = new Shown(mirror);
        isVolatile = durability == Durability.MEMORY;
        late = new LateWrites(isVolatile);
        tables = new Tables(settings.clientsMax());
        writes = new Uncommitted(this);
        planner = new Planner(settings, peers);
    }

    NodeId self() {
        return peers.self().id();
    }

    long viewNumber() {
        return standing.viewNumber();
    }

    List<NodeId> members() {
        View view = standing.view();
        return view == null ? List.of() : view.members();
    }

    int size() {
        return members().size();
    }

    int tailRank() {
        return size() - 1;
    }

    boolean isTail() {
        return standing.rank() >= 0 && standing.rank() == tailRank();
    }

    boolean isServing() {
        return standing.phase() == Standing.Phase.SERVING;
    }

    /** Returns whether the tail may commit: there is no other one, and enough members are there. */
    boolean mayCommit(Turn turn) {
        return standing.mayWrite() && hasLease(turn);
    }

    boolean hasLease(Turn turn) {
        return standing.hasLease(turn);
    }

    /**
     * Requires that a clock of another member can be true. Members know of all writes that are committed, so their clocks differ by what
     * is under way. A greater one, once taken over, would be everybody's, and near its bound nobody could write any more.
     */
    void checkClock(long other, NodeId from) {
        if (standing.hasContent() && other - clock > CLOCK_AHEAD_MAX) {
            throw new MalformedException("clock " + other + " of " + from + " is more than " + CLOCK_AHEAD_MAX
                    + " ahead of that of " + self() + ", which is " + clock);
        }
    }

    /**
     * Returns whether a master that says this has lost decisions: it knows fewer views than this node, or other members
     * for a view that began here. A view that did not begin here counts as never decided.
     */
    boolean knowsBetter(View told) {
        long known = Math.max(viewNumber(), Math.max(standing.activeView(), newest().view()));
        View view = standing.view();
        boolean isOther = view != null && !told.equals(view);
        return told.number() < known || (isOther && told.number() == standing.activeView());
    }

    /** Returns why this node has no view to serve in. */
    String noView() {
        if (standing.view() != null) {
            return "is no member of view " + viewNumber();
        }
        long known = newest().view();
        return "was told of no view"
                + (known == 0 ? "" : " that is as new as what it holds, which is of view " + known);
    }

    /** All members as bits. */
    long allRanks() {
        return size() == Long.SIZE ? -1L : (1L << size()) - 1;
    }

    /** Returns what is at least the clock of each write that was seen here. */
    long clock() {
        return clock;
    }

    /** Returns the clock of the next own write, greater than all before. */
    long nextClock() {
        return ++clock;
    }

    void heardClock(long other) {
        clock = Math.max(clock, other);
    }

    StoreState storeState() {
        return storeState;
    }

    /** A slow member slows writes down, and refusing them here would stop those of all members. */
    void storeIs(StoreState state) {
        storeState = state == StoreState.SLOW ? StoreState.READY : state;
    }

    /** Returns a member that can be sent to; null for this node and for those without link. */
    @Nullable
    Peer member(int memberRank) {
        if (memberRank < 0 || memberRank >= size() || memberRank == standing.rank()) {
            return null;
        }
        Peer peer = peers.find(members().get(memberRank));
        return peer != null && peer.linked() && peer.version(FunnelLayout.CHANNEL) > 0 ? peer : null;
    }

    @Nullable
    Peer tail() {
        return member(tailRank());
    }

    /** Returns the next member towards the front that can be sent to; null if there is none. */
    @Nullable
    Peer memberBefore(int memberRank) {
        Peer before = null;
        for (int at = memberRank - 1; at >= 0 && before == null; at--) {
            before = member(at);
        }
        return before;
    }

    int rankOf(NodeId node) {
        View view = standing.view();
        return view == null ? -1 : view.rank(node);
    }

    /** Begins a message; every message begins with the number of the view. */
    BinWriter message() {
        scratch.clear();
        return scratch.varint(viewNumber());
    }

    /** Sends to every other member that has a link. */
    void sendAll(int type, Slice body, boolean urgent, Turn turn) {
        for (int to = 0; to < size(); to++) {
            Peer peer = member(to);
            if (peer != null) {
                turn.send(peer, type, body, urgent);
            }
        }
    }

    /**
     * Returns what tells this process apart from others of its name, and later than them: the number of the boot, and the wall clock where
     * a lost store has made that number begin again.
     */
    long incarnation(Turn turn) {
        long boot = Math.min(peers.self().incarnation(), BOOTS_MAX);
        return (boot << ViewLedger.MILLIS_BITS) | (turn.wallMillis() & ((1L << ViewLedger.MILLIS_BITS) - 1));
    }

    /**
     * Returns this turn's batch. What waits to be written goes first, because what follows may say that it is stored.
     */
    StoreBatch store(Turn turn) {
        StoreBatch batch = turn.store();
        late.write(batch);
        return batch;
    }

    /** Returns the version of the newest commit that is here. Up to it the tables may be incomplete. */
    Version newest() {
        return isPartial() ? tables.newest() : progress.applied();
    }

    /** Returns whether the tables have more than all commits up to {@link Progress#applied}: a transfer has not come to its end. */
    boolean isPartial() {
        return progress.applied().isBefore(tables.newest());
    }

    /** Stores what the node must know of itself after a restart. */
    void storeSelf(Turn turn) {
        FunnelLayout.Self self = new FunnelLayout.Self(
                standing.activeView(), progress.applied(), clock, progress.horizon(), progress.wiped(), isPartial());
        store(turn).put(FunnelLayout.SELF, self.encode());
    }

    /** All members have applied commits up to this version durably: removals up to it need not be known here, except of some keys. */
    void forgetRemovals(Version stable, Predicate<Cell> needed, Turn turn) {
        if (!tables.hasRemoval(stable)) {
            return;
        }
        List<Cell> forgotten = tables.forgetRemovals(stable, writes.leastClock(), needed);
        if (!forgotten.isEmpty()) {
            StoreBatch batch = store(turn);
            for (Cell cell : forgotten) {
                batch.delete(cell.storeKey());
                progress.forgetUpTo(new Version(cell.view, cell.commit));
            }
            storeSelf(turn);
        }
    }

    /** Requires what always holds for the counters between turns. */
    void check() {
        standing.check();
        tables.check();
        writes.check();
        own.check(writes.size());
    }

    /** Returns what {@link #check} looks at, in words. */
    @Override
    public String toString() {
        return "maps " + standing + ", " + progress + ", with " + writes + ", " + own + ", and " + tables;
    }
}
