package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogOutlet;
import io.georep.consensus.LogRecord;
import io.georep.consensus.LogTiming;
import io.georep.consensus.Proposal;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.MasterMessages.State;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One of the nodes that keep the decisions over views: a member of a {@link ReplicatedLog} with the ledger that it leads to. All keepers get
 * every question, and the one that leads answers.
 *
 * <p><b>Leases without entries.</b> A request that changes nothing is answered from memory, once more than half of the keepers have said, after it
 * came, that they follow this leader. Then no later leader had begun when the lease did, and the next one waits for a whole lease ({@link
 * ViewLeader}). An old leader may have proposed something that only it knows, and a later one would find it and take it for new. So each
 * leader first puts the begin of a term into the log, each entry bears the term in which it was proposed, and in another one it counts for nothing.
 *
 * <pre>
 * command = varint 0                                the begin of a term, which has the number of its slot
 *         | varint term | entry                     see {@link LedgerEntry}
 * </pre>
 */
final class ViewKeeper implements LogOutlet {
    /** Entries between two snapshots. */
    static final int SNAPSHOT_EVERY = 256;

    private static final long ELECTION_MIN = 100_000_000;
    private static final int LOOKS_PER_LEASE = 10;
    private static final long UNMARKED = Long.MIN_VALUE;

    private final NodeId self;
    private final ViewGroup group;
    private final long leaseNanos;
    private final LogTiming timing;
    private final Outlet outlet;
    private final KeeperStore stored = new KeeperStore();
    private final ViewLeader leader;

    /** Messages to itself. */
    private final Deque<LogMessage> own = new ArrayDeque<>();

    /** The newest question of each node that is not answered. */
    private final Map<NodeId, Question> questions = new TreeMap<>();

    /** What stands in the log of this term for a question, by slot. */
    private final Map<Long, Question> proposed = new TreeMap<>();

    private final Map<Long, Order> ordered = new TreeMap<>();
    private ReplicatedLog log;
    private ViewLedger ledger = new ViewLedger();

    /** The newest term that has begun. */
    private long term;

    /** The one that this node has begun, or wants to begin, as the leader that it is; 0 before it was proposed. */
    private long ownTerm;

    private boolean isLeading;
    private long lookAt;
    private long leaderlessSince;
    private @Nullable Question farewell;
    private String trouble = "";
    private Turn turn;

    /** Where its messages go. */
    interface Outlet {
        /** Sends a message to another node, or to this one. */
        void send(NodeId to, int type, Slice body, boolean whenDurable, Turn turn);
    }

    private static final class Question {
        final NodeId from;
        final long number;
        final Renewal renewal;
        final long askedAt;
        long doubted = UNMARKED;

        Question(NodeId from, long number, Renewal renewal, long askedAt) {
            this.from = from;
            this.number = number;
            this.renewal = renewal;
            this.askedAt = askedAt;
        }
    }

    private record Order(NodeId from, long number, Restoration plan) {}

    /** Begins a boot. */
    ViewKeeper(NodeId self, ViewGroup group, FunnelSettings settings, Outlet outlet, EntryStore store, Turn turn) {
        this.self = self;
        this.group = group;
        this.outlet = outlet;
        this.turn = turn;
        leaseNanos = settings.lease().toNanos();
        long election = Math.max(ELECTION_MIN, leaseNanos / 4);
        timing = new LogTiming(election / 5, election, election / 10, 5 * leaseNanos);
        LeaseClock clock = new LeaseClock(settings.clockRateError(), leaseNanos, leaseNanos, turn.now());
        leader = new ViewLeader(new ViewPolicy(group.founders(), leaseNanos, group.membersMin()), leaseNanos, clock);
        stored.boot(store);
        if (stored.seat == 0) {
            stored.reseat(newSeat(turn), turn);
        }
        leaderlessSince = turn.now();
        log = begin(turn);
    }

    private static long newSeat(Turn turn) {
        return turn.random().nextLong() | 1;
    }

    private ReplicatedLog begin(Turn given) {
        State base = stored.base;
        ledger = base == null ? new ViewLedger() : ViewLedger.decode(base.ledger());
        term = base == null ? 0 : base.term();
        ownTerm = 0;
        isLeading = false;
        farewell = null;
        own.clear();
        proposed.clear();
        ordered.clear();
        leader.forget(ledger, given.now());
        LogRecord record = stored.record(group.keepers());
        ReplicatedLog begun =
                new ReplicatedLog(new Seat(self, stored.seat), timing, record, given.random(), this, given.now());
        for (long slot = begun.base() + 1; slot <= begun.decided(); slot++) {
            onDecided(slot, begun.entry(slot));
        }
        return begun;
    }

    /** The store is an older image: what it says to have promised is not all. Its decisions are right, but it has no vote before it gets a new seat. */
    void staleStore(Turn given) {
        turn = given;
        State state = state();
        stored.reseat(newSeat(given), given);
        stored.base = state;
        stored.base(state, given);
        log = begin(given);
    }

    private State state() {
        return new State(log.decided(), log.seats(), term, ledger.encode());
    }

    /** Takes a question. */
    void ask(NodeId from, long number, Renewal renewal, Turn given) {
        questions.put(renewal.node(), new Question(from, number, renewal, given.now()));
    }

    /** Takes the order to restore a view from what the stores of the nodes hold, or to say what would be done. */
    void order(NodeId from, long number, boolean dryRun, Turn given) {
        turn = given;
        if (isReady()) {
            Restoration plan = leader.restore(ledger, given.now());
            LedgerEntry.Restore entry = dryRun ? null : leader.restoring(ledger, given.now());
            long slot = entry == null ? 0 : log.propose(command(entry));
            if (entry != null && slot > 0 && leader.appends(entry, ledger, given.now())) {
                ordered.put(slot, new Order(from, number, plan));
            } else {
                restored(from, number, plan);
            }
        } else if (log.seats().slot() > 0 && leaderless(given.now()) > 2 * leaseNanos) {
            restored(from, number, new Restoration(null, Map.of(), forgets(dryRun)));
            if (!dryRun) {
                stored.reseat(newSeat(given), given);
                log = begin(given);
            }
        }
    }

    private String forgets(boolean dryRun) {
        return "keeper " + self + " knows no leader: " + group + ". If too many of their stores are lost, this order makes those"
                + " that are left forget what was decided, so that all of them can begin anew"
                + (dryRun ? "" : ". " + self + " has done so: give the order again when all of them run");
    }

    private long leaderless(long now) {
        return log.leader(now) == null ? now - leaderlessSince : 0;
    }

    private void restored(NodeId to, long number, Restoration plan) {
        outlet.send(to, MasterMessages.RESTORED, MasterMessages.restored(number, plan), false, turn);
    }

    /** Takes a message of another keeper. */
    void onLog(NodeId from, BinReader in, Turn given) {
        LogMessage message = LogMessage.read(in);
        FunnelContext.end(in);
        turn = given;
        log.onMessage(from, message, given.now());
    }

    /** Takes the state that another keeper has, if it is newer. */
    void onState(State state, Turn given) {
        turn = given;
        if (state.slot() > log.decided()) {
            ledger = ViewLedger.decode(state.ledger());
            term = state.term();
            leader.forget(ledger, given.now());
            log.install(state.slot(), state.seats());
        }
    }

    void endOfTurn(Turn given) {
        turn = given;
        long now = given.now();
        takeOwn(now);
        lead(now);
        log.endOfTurn(now);
        takeOwn(now);
        if (log.leader(now) != null) {
            leaderlessSince = now;
        }
        if (log.decided() - log.base() >= SNAPSHOT_EVERY) {
            log.forget(log.decided());
        }
    }

    private void takeOwn(long now) {
        for (LogMessage message = own.poll(); message != null; message = own.poll()) {
            log.onMessage(self, message, now);
        }
    }

    private boolean isReady() {
        return log.leads() && ownTerm > 0 && term == ownTerm;
    }

    private void lead(long now) {
        if (log.leads() != isLeading) {
            isLeading = log.leads();
            ownTerm = 0;
            proposed.clear();
            ordered.clear();
            questions.values().forEach(each -> each.doubted = UNMARKED);
            if (farewell != null) {
                mayGo(farewell);
            }
        }
        if (isLeading && ownTerm == 0) {
            ownTerm = log.propose(new BinWriter(1).varint(0).toSlice());
        }
        if (isReady()) {
            leader.leads(term, ledger, now);
            questions.values().removeIf(each -> now - each.askedAt > leaseNanos / 2);
            answerAll(now);
            look(now);
            leave(now);
        }
    }

    private void answerAll(long now) {
        for (Iterator<Question> left = questions.values().iterator(); left.hasNext(); ) {
            if (isDone(left.next(), now)) {
                left.remove();
            }
        }
    }

    /** Whether the question is answered, or in the log. */
    private boolean isDone(Question asked, long now) {
        boolean isFollowed = asked.doubted != UNMARKED && log.isFollowedSince(asked.doubted);
        if (asked.doubted != UNMARKED && !isFollowed) {
            return false;
        }
        Grant grant = leader.answer(asked.renewal, ledger, now);
        if (grant == null) {
            return propose(asked, now);
        }
        if (isFollowed) {
            granted(asked, grant);
            return true;
        }
        asked.doubted = log.doubt();
        return false;
    }

    private void granted(Question asked, Grant grant) {
        outlet.send(asked.from, MasterMessages.GRANT, MasterMessages.grant(asked.number, grant), false, turn);
    }

    /** One entry of a node at a time: a log that is slow must not grow by their repeated questions. */
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

    private void look(long now) {
        if (now - lookAt < 0) {
            return;
        }
        lookAt = now + leaseNanos / LOOKS_PER_LEASE;
        LedgerEntry.Change change = leader.next(ledger, now);
        if (change != null && log.propose(command(change)) > 0) {
            leader.appends(change, ledger, now);
        }
        String told = leader.trouble(ledger, now);
        List<NodeId> awaited = leader.awaited(ledger, now);
        String said = told != null
                ? told
                : awaited.isEmpty()
                        ? ""
                        : "the first view waits for " + awaited + ": these founders do not ask. Start them, and check that"
                                + " they reach the keepers";
        if (!said.equals(trouble)) {
            trouble = said;
            turn.notify(new FunnelEvent.Trouble(said));
        }
    }

    /** The others go on without this node first, while it leads; then another keeper leads. */
    private void leave(long now) {
        Question last = farewell;
        boolean isAlone = group.keepers().size() == 1;
        if (last != null && ViewLeader.goesOnWithout(self, ledger) && (log.handOver(now) || isAlone)) {
            mayGo(last);
        }
    }

    private void mayGo(Question last) {
        farewell = null;
        granted(last, new Grant(ledger.view(), Duration.ZERO, false));
    }

    private void apply(long slot, Slice command) {
        BinReader in = new BinReader(command);
        long of = MasterMessages.readSlot(in);
        if (of == 0) {
            term = slot;
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
                granted(asked, new Grant(grant.view(), grant.lease(), grant.mayWrite(), true));
            }
            return;
        }
        if (entry instanceof LedgerEntry.Change change) {
            ledger.apply(change);
        } else {
            ledger.apply((LedgerEntry.Restore) entry);
        }
        leader.changed();
        if (order != null) {
            restored(order.from, order.number, order.plan);
        }
    }

    long nextDeadlineNanos() {
        return isReady() ? Math.min(lookAt, log.nextDeadlineNanos()) : log.nextDeadlineNanos();
    }

    @Override
    public void send(NodeId to, LogMessage message) {
        if (to.equals(self)) {
            own.add(message);
        } else {
            outlet.send(to, MasterMessages.LOG, message.encode(), false, turn);
        }
    }

    @Override
    public void sendWhenDurable(NodeId to, LogMessage message) {
        if (!to.equals(self)) {
            outlet.send(to, MasterMessages.LOG, message.encode(), true, turn);
            return;
        }
        ReplicatedLog present = log;
        turn.whenDurable(later -> {
            if (log == present) {
                turn = later;
                log.onMessage(self, message, later.now());
            }
        });
    }

    @Override
    public void storePromise(Ballot promised) {
        stored.promised(promised, turn);
    }

    @Override
    public void storeProposal(long slot, Proposal proposal) {
        stored.proposal(slot, proposal, turn);
    }

    @Override
    public void storeDecided(long slot) {
        stored.decided(slot, turn);
    }

    @Override
    public void storeBase(long slot, Seats seats) {
        stored.base(new State(slot, seats, term, ledger.encode()), turn);
    }

    @Override
    public void onDecided(long slot, LogEntry entry) {
        if (entry.kind() == LogEntry.COMMAND) {
            apply(slot, entry.body());
        }
    }

    @Override
    public void onBehind(NodeId member) {
        outlet.send(member, MasterMessages.STATE, state().encode(), false, turn);
    }

    /** For tests: whether it leads and answers. */
    boolean leads() {
        return isReady();
    }

    /** For tests. */
    ReplicatedLog log() {
        return log;
    }

    /** For tests. */
    Seat seat() {
        return new Seat(self, stored.seat);
    }

    /** For tests. */
    ViewLedger ledger() {
        return ledger;
    }

    @Override
    public String toString() {
        return log + ", term " + term + ", view " + ledger.view();
    }
}
