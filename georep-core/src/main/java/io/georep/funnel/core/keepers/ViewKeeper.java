package io.georep.funnel.core.keepers;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.LogTiming;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.View;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.keepers.MasterMessages.State;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One of the nodes that keep the decisions over views: a member of a {@link ReplicatedLog} with the ledger that it leads to. All keepers get
 * every question, and the one that leads answers.
 *
 * <p><b>Leases without entries.</b> A request that changes nothing is answered from memory, once more than half of the
 * keepers have said, after it came, that they follow this leader. So no later leader had begun when the lease began,
 * and the next one waits for a whole lease ({@link ViewLeader}). An old leader may have proposed an entry that only it
 * knows; a later leader could find it and take it for new. So each leader first writes the beginning of a term into the
 * log. Each entry carries the term in which it was proposed, and counts in that term only.
 *
 * <pre> command = varint 0                                the beginning of a term, which has the number of its slot |
 * varint term | entry                     see {@link LedgerEntry}
 * </pre>
 */
public final class ViewKeeper {
    private static final long ELECTION_MIN = 100_000_000;
    private static final int LOOKS_PER_LEASE = 10;
    private static final long UNMARKED = Long.MIN_VALUE;

    private final NodeId self;
    private final ViewGroup group;
    private final long leaseNanos;
    private final KeeperLog.Outlet outlet;
    private final KeeperLog seat;
    private final ViewLeader leader;

    /** The newest question of each node that is not answered. */
    private final Map<NodeId, Question> questions = new TreeMap<>();

    /** Questions with an entry in the log of this term, by slot. */
    private final Map<Long, Question> proposed = new TreeMap<>();

    private final Map<Long, Order> ordered = new TreeMap<>();
    private ReplicatedLog log;
    private ViewLedger ledger = new ViewLedger();

    /** The newest term that has begun. */
    private long term;

    /** The term that this node has proposed to begin as the leader; 0 before that. */
    private long ownTerm;

    private boolean isLeading;
    private long lookAt;
    private long leaderlessSince;
    private @Nullable Question farewell;
    private final ViewTrouble trouble = new ViewTrouble();

    private static final class Question {
        final long number;
        final Renewal renewal;
        final long askedAt;
        long doubted = UNMARKED;

        Question(long number, Renewal renewal, long askedAt) {
            this.number = number;
            this.renewal = renewal;
            this.askedAt = askedAt;
        }
    }

    private record Order(NodeId from, long number, Restoration plan) {}

    /** Begins a boot. */
    public ViewKeeper(
            NodeId self,
            ViewGroup group,
            FunnelSettings settings,
            KeeperLog.Outlet outlet,
            EntryStore store,
            Turn turn) {
        this.self = self;
        this.group = group;
        this.outlet = outlet;
        leaseNanos = settings.lease().toNanos();
        LeaseClock clock = new LeaseClock(settings.clockRateError(), leaseNanos, leaseNanos, turn.now());
        leader = new ViewLeader(new ViewPolicy(group.founders(), leaseNanos, group.membersMin()), leaseNanos, clock);
        long election = Math.max(ELECTION_MIN, leaseNanos / 4);
        LogTiming timing = new LogTiming(election / 5, election, election / 10, 5 * leaseNanos);
        seat = new KeeperLog(self, group.keepers(), timing, new Decided(), outlet, store, turn);
        leaderlessSince = turn.now();
        log = seat.begin(turn);
    }

    private final class Decided implements KeeperLog.Machine {
        @Override
        public void begin(@Nullable State base, Turn turn) {
            ledger = base == null ? new ViewLedger() : ViewLedger.decode(base.ledger());
            term = base == null ? 0 : base.term();
            leader.forget(ledger, turn.now());
            endTerm(turn);
        }

        @Override
        public void apply(long slot, Slice command, Turn turn) {
            ViewKeeper.this.apply(slot, command, turn);
        }

        @Override
        public State state(long slot, Seats seats) {
            return new State(slot, seats, term, ledger.encode());
        }
    }

    /** This node leads no more: others decide what it proposed, or it is lost. */
    private void endTerm(Turn turn) {
        isLeading = false;
        ownTerm = 0;
        proposed.clear();
        ordered.clear();
        questions.values().forEach(each -> each.doubted = UNMARKED);
        if (farewell != null) {
            mayGo(farewell, turn);
        }
    }

    /**
     * The store is an older image: it does not know all its promises, and what it takes for decided may belong to a group that
     * has begun anew since. It counts as empty.
     */
    public void staleStore(Turn turn) {
        log = seat.reseat(turn);
    }

    /** Takes a question of a node for itself. */
    public void ask(long number, Renewal renewal, Turn turn) {
        forgetOld(turn.now());
        questions.put(renewal.node(), new Question(number, renewal, turn.now()));
    }

    private void forgetOld(long now) {
        questions.values().removeIf(each -> now - each.askedAt > leaseNanos / 2);
    }

    /** Takes the order to restore a view from what the stores of the nodes hold, or to say what would be done. */
    public void order(NodeId from, long number, boolean dryRun, Turn turn) {
        if (isReady()) {
            Restoration plan = leader.restore(ledger, turn.now());
            LedgerEntry.Restore entry = dryRun ? null : leader.restoring(ledger, turn.now());
            long slot = entry == null ? 0 : log.propose(command(entry));
            if (entry != null && slot > 0 && leader.appends(entry, ledger, turn.now())) {
                ordered.put(slot, new Order(from, number, plan));
            } else if (entry == null) { // otherwise the log has no room: who hears nothing orders again
                restored(from, number, plan, turn);
            }
        } else if (log.seats().slot() > 0 && leaderless(turn.now()) > 2 * leaseNanos) {
            restored(from, number, new Restoration(null, Map.of(), forgets(dryRun)), turn);
            if (!dryRun) {
                log = seat.reseat(turn);
            }
        }
    }

    /** Answers the order of a node that may give none. */
    public void refuse(NodeId from, long number, Turn turn) {
        String why = from
                + " has a limited certificate, and may not decide over other nodes: give the order at a node with a full one";
        restored(from, number, new Restoration(null, Map.of(), why), turn);
    }

    private String forgets(boolean dryRun) {
        return "keeper " + self + " knows no leader: " + group
                + ". If too many of their stores are lost, this order makes those"
                + " that are left forget what was decided, so that all of them can begin anew"
                + (dryRun ? "" : ". " + self + " has done so: give the order again when all of them run");
    }

    private long leaderless(long now) {
        return log.leader(now) == null ? now - leaderlessSince : 0;
    }

    private void restored(NodeId to, long number, Restoration plan, Turn turn) {
        outlet.send(to, MasterMessages.RESTORED, MasterMessages.restored(number, plan), turn);
    }

    /** Takes a message of another keeper. */
    public void onLog(NodeId from, BinReader in, Turn turn) {
        seat.onMessage(from, in, turn);
    }

    /** Takes the state that another keeper has. */
    public void onState(State state, Turn turn) {
        seat.onState(state, turn);
    }

    public void endOfTurn(Turn turn) {
        lead(turn);
        seat.endOfTurn(turn);
        if (log.leader(turn.now()) != null) {
            leaderlessSince = turn.now();
        }
    }

    private boolean isReady() {
        return log.leads() && ownTerm > 0 && term == ownTerm;
    }

    private void lead(Turn turn) {
        if (!log.leads()) {
            if (isLeading) {
                endTerm(turn);
            }
            return;
        }
        isLeading = true;
        ownTerm = ownTerm == 0 ? log.propose(new BinWriter(1).varint(0).toSlice()) : ownTerm;
        if (isReady()) {
            long now = turn.now();
            leader.leads(term, ledger, now);
            forgetOld(now);
            answerAll(turn);
            look(turn);
            leave(turn);
        }
    }

    private void answerAll(Turn turn) {
        for (Iterator<Question> left = questions.values().iterator(); left.hasNext(); ) {
            if (isDone(left.next(), turn)) {
                left.remove();
            }
        }
    }

    /** Returns whether the question is answered, or in the log. */
    private boolean isDone(Question asked, Turn turn) {
        boolean isFollowed = asked.doubted != UNMARKED && log.isFollowedSince(asked.doubted);
        if (asked.doubted != UNMARKED && !isFollowed) {
            return false;
        }
        Grant grant = leader.answer(asked.renewal, ledger, turn.now());
        if (grant == null && propose(asked, turn.now())) {
            return true;
        }
        grant = grant == null ? leader.answerAsKnown(asked.renewal, ledger, turn.now()) : grant;
        if (grant == null) {
            return false;
        }
        if (isFollowed) {
            granted(asked, grant, turn);
            return true;
        }
        asked.doubted = log.doubt();
        return false;
    }

    private void granted(Question asked, Grant grant, Turn turn) {
        outlet.send(asked.renewal.node(), MasterMessages.GRANT, MasterMessages.grant(asked.number, grant), turn);
    }

    /** Proposes at most one entry of each node at a time, so that repeated questions do not fill a slow log. */
    private boolean propose(Question asked, long now) {
        if (proposed.values().stream().anyMatch(each -> each.renewal.node().equals(asked.renewal.node()))) {
            return false;
        }
        long slot = log.propose(command(leader.entry(asked.renewal, ledger, now)));
        if (slot > 0) {
            proposed.put(slot, asked);
        }
        return slot > 0;
    }

    private Slice command(LedgerEntry entry) {
        return new BinWriter(128).varint(term).raw(entry.encode()).toSlice();
    }

    private void look(Turn turn) {
        long now = turn.now();
        if (now - lookAt < 0) {
            return;
        }
        lookAt = now + leaseNanos / LOOKS_PER_LEASE;
        LedgerEntry.Change change = leader.next(ledger, now);
        if (change != null && log.propose(command(change)) > 0) {
            leader.appends(change, ledger, now);
        }
        trouble.look(leader, ledger, turn);
    }

    /** While this node leads, it first sees to it that the others go on without it; then another keeper leads. */
    private void leave(Turn turn) {
        Question last = farewell;
        boolean isAlone = group.keepers().size() == 1;
        if (last != null && ViewLeader.goesOnWithout(self, ledger) && (log.handOver(turn.now()) || isAlone)) {
            mayGo(last, turn);
        }
    }

    private void mayGo(Question last, Turn turn) {
        farewell = null;
        granted(last, new Grant(ledger.view(), Duration.ZERO, false), turn);
    }

    private void apply(long slot, Slice command, Turn turn) {
        BinReader in = new BinReader(command);
        long of = MasterMessages.readSlot(in);
        if (of == 0) {
            term = slot;
            proposed.clear(); // of an earlier term: what is not decided by now will never count, and its slots go to
            // other entries
            ordered.clear();
            return;
        }
        Question asked = proposed.remove(slot);
        Order order = ordered.remove(slot);
        if (of != term) {
            return;
        }
        lookAt = turn.now();
        LedgerEntry entry = LedgerEntry.decode(in.raw(in.remaining()));
        if (entry instanceof LedgerEntry.Renew renew) {
            Grant grant = leader.applied(renew, ledger, turn.now());
            if (asked != null && asked.renewal.left() && renew.renewal().node().equals(self)) {
                farewell = asked;
            } else if (asked != null) {
                granted(asked, new Grant(grant.view(), grant.lease(), grant.mayWrite(), true), turn);
            }
            return;
        }
        boolean isApplied = entry instanceof LedgerEntry.Change change
                ? ledger.apply(change)
                : ledger.apply((LedgerEntry.Restore) entry);
        leader.changed();
        if (order != null) {
            String refusal = isApplied ? null : "another order or a restart came first: look, and order again";
            View view = isApplied ? order.plan.view() : null;
            restored(order.from, order.number, new Restoration(view, order.plan.stores(), refusal), turn);
        }
    }

    public long nextDeadlineNanos() {
        return isReady() ? Math.min(lookAt, log.nextDeadlineNanos()) : log.nextDeadlineNanos();
    }

    /** For tests: whether it leads and answers. */
    public boolean leads() {
        return isReady();
    }

    /** For tests. */
    public ReplicatedLog log() {
        return log;
    }

    /** For tests. */
    public Seat seat() {
        return seat.seat();
    }

    /** For tests: how many it remembers. */
    public int questions() {
        return questions.size();
    }

    public ViewLedger ledger() {
        return ledger;
    }

    @Override
    public String toString() {
        return log + ", term " + term + ", view " + ledger.view();
    }
}
