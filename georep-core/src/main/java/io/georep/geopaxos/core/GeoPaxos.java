package io.georep.geopaxos.core;

import io.georep.consensus.LogEntry;
import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.contact.ForwardedReads;
import io.georep.geopaxos.core.contact.LeasedReads;
import io.georep.geopaxos.core.contact.OrderGate;
import io.georep.geopaxos.core.contact.Placer;
import io.georep.geopaxos.core.contact.Submissions;
import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.groups.GroupLeader;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.groups.GroupLogs;
import io.georep.geopaxos.core.groups.StatePages;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;

/**
 * A node: it executes everything, votes in some groups, may lead some of these, and is the contact of its clients. A plain object, used by
 * one thread. Whoever embeds it passes on messages, calls and time, stores what {@link GeoOutlet} says, and calls {@link #endOfTurn} after
 * the events of each turn.
 */
final class GeoPaxos {
    /** Token of what no client has asked for. */
    private static final long NOBODY = 0;

    private final NodeId self;
    private final GeoGroups groups;
    private final GeoOutlet outlet;
    private final Rules rules;
    private final Executor executor;
    private final Submissions submissions;
    private final LeasedReads reads;
    private final OrderGate gate;
    private final Placer placer;
    private final SeatChanges membership;
    private final GroupLogs groupLogs;
    private final List<GroupLog> logs;
    private final List<GroupLeader> leaders;
    private final Executor.Listener listener;

    /** Messages to itself. */
    private final Deque<GeoMessage> own = new ArrayDeque<>();

    private final OwnState state;
    private final LogNews news;
    private final Restorations restorations;
    private final LeftBehind left;

    private long now;
    private long resendAt;

    /** Begins a boot. */
    GeoPaxos(
            NodeId self,
            GeoGroups groups,
            GeoRecord stored,
            Service service,
            RandomGenerator random,
            GeoOutlet outlet,
            Rules rules,
            Executor.Listener listener,
            long now) {
        this.self = self;
        this.groups = groups;
        this.outlet = outlet;
        this.rules = rules;
        this.listener = listener;
        this.now = now;
        executor = new Executor(groups.count(), groups.initial(), service, rules, new Host());
        groupLogs = new GroupLogs(self, groups, stored, random, new Host(), outlet, executor);
        logs = groupLogs.all();
        leaders = groupLogs.leaders();
        IntUnaryOperator near = set -> GroupLog.nearest(logs, groups.nearness(), set, this.now);
        left = new LeftBehind(logs, executor, outlet);
        submissions = new Submissions(
                self,
                stored.incarnation(),
                near,
                set -> GroupLog.areLed(logs, set, this.now),
                rules,
                executor,
                random,
                this::sendToGroups,
                outlet);
        gate = new OrderGate(executor, submissions, logs);
        placer = new Placer(self, groups, executor, logs, rules, new Host(), now);
        ForwardedReads elsewhere = new ForwardedReads(new Host(), random);
        reads = new LeasedReads(self, executor, logs, rules, outlet, elsewhere, near, this::order, placer::read);
        membership = new SeatChanges(groups, logs, rules, this::send, outlet);
        StatePages pages = new StatePages(stored.incarnation(), patience(), rules, this::send);
        state = new OwnState(groups, rules, executor, groupLogs, membership, pages, outlet);
        news = new LogNews(stored.store(), logs, patience(), outlet);
        restorations = new Restorations(self, logs, membership, news, outlet, patience());
        state.boot(stored);
        groupLogs.boot(now);
        groupLogs.replay();
        resendAt = now + patience();
    }

    /** Returns how long it takes for an answer to be overdue. */
    private long patience() {
        return groups.timing().lease();
    }

    /** Takes a message of a node. */
    void onMessage(NodeId from, GeoMessage message, long time) {
        now = time;
        if (news.isBehind(from, message)) {
            news.answer(from, now);
        } else {
            receive(from, message);
        }
    }

    /** A node is in reach: again, or for the first time in one of the two boots. */
    void meets(NodeId node, long time) {
        now = time;
        news.meets(node, now);
    }

    /** See {@link LeftBehind}. */
    boolean isLeftBehind() {
        return left.holds();
    }

    private void receive(NodeId from, GeoMessage message) {
        if (message instanceof GeoMessage.Log it) {
            if (it.group() < logs.size() && left.takes(it)) {
                logs.get(it.group()).onMessage(from, it.message(), now);
            }
        } else if (message instanceof GeoMessage.Order it) {
            if (it.group() < logs.size()) {
                leaders.get(it.group()).order(it.operation());
            }
        } else if (message instanceof GeoMessage.Got it) {
            state.got(from, it, now);
        } else if (message instanceof GeoMessage.Report it) {
            placer.onReport(from, it, now);
        } else if (message instanceof GeoMessage.Change it) {
            membership.onChange(it.layout(), executor.groupState(0).slot, now);
        } else if (message instanceof GeoMessage.Read it) {
            reads.onRead(from, it, now);
        } else if (message instanceof GeoMessage.Found it) {
            reads.onFound(from, it);
        } else if (message instanceof GeoMessage.Logs it) {
            news.onLogs(from, it, now);
        } else if (message instanceof GeoMessage.Page it && state.onPage(from, it, now)) {
            submissions.skipped(now);
        }
    }

    /**
     * Orders an operation and executes it once, however often its client repeats it, here or at other nodes.
     *
     * @param token comes back with the answer
     * @param client the same for all operations of a client
     * @param sequence the number of the operation, from 1 on; the same when it is repeated; 0 if it never is: then all three are 0
     * @param acked the client needs no answers to operations up to this number any more, and repeats none of them
     */
    void submit(long token, long client, long sequence, long acked, Slice operation, long time) {
        now = time;
        order(new Call(token, Operation.SERVICE, client, sequence, acked, 0, operation));
    }

    /** The clocks of this machine have parted: it may have been suspended, and not know for how long. */
    void clocksParted() {
        logs.forEach(GroupLog::doubt);
    }

    /**
     * Executes an operation that changes nothing, without a message if this node may do so. Refuses an operation that
     * would change something.
     */
    void read(long token, Slice operation, long time) {
        now = time;
        reads.read(new Call(token, Operation.READ, 0, 0, 0, 0, operation), now);
    }

    /** Gives objects from certain groups to others: sets of bits. */
    void move(long token, long[] objects, int from, int to, long time) {
        now = time;
        order(Submissions.Call.of(new Move(objects, from, to), token));
    }

    private boolean order(Call call) {
        GeoEvent.Reason refusal = isLeftBehind() ? GeoEvent.Reason.LEFT_BEHIND : gate.refusal(call, now);
        if (refusal != null) {
            outlet.refused(call.token(), refusal);
        } else {
            submissions.submit(call, now);
        }
        return refusal == null;
    }

    /** This node takes part no more, and hears nothing of what it has asked. */
    void abandon() {
        submissions.abandon();
        reads.abandon();
        placer.restored();
    }

    /** For tests: the groups of an object, as this node knows; a set of bits. */
    int groupsOf(long object) {
        return executor.placement().of(object);
    }

    /** Returns how many groups have begun here. */
    int groups() {
        return logs.size();
    }

    /** Returns how many attempts to order operations of this node's clients are under way. */
    int underWay() {
        return submissions.open();
    }

    /** Called after the events of each turn, and when the time of {@link #nextDeadlineNanos} has come. */
    void endOfTurn(long time) {
        now = time;
        if (isLeftBehind()) {
            logs.forEach(each -> each.log().abstain());
        }
        placer.endOfTurn(now);
        if (now - resendAt >= 0) {
            resendAt = now + patience();
            submissions.renew(now);
            membership.repeat(now);
            state.repeat(now);
            news.repeat(now);
            restorations.repeat();
            submissions.resend(-1, now - patience() / 2, now);
            leaders.forEach(leader -> leader.orphans().forEach(this::sendToGroups));
            leaders.forEach(leader -> leader.forget(membership.present()));
        }
        restorations.endOfTurn(now);
        submissions.askNewLeaders(logs, now);
        do {
            takeOwn();
            groupLogs.endOfTurn(now);
            takeOwn();
            reads.retry(patience(), now);
        } while (!own.isEmpty());
        membership.endOfTurn();
        news.endOfTurn(now);
        state.endOfTurn(now);
    }

    private void takeOwn() {
        for (GeoMessage message = own.poll(); message != null; message = own.poll()) {
            receive(self, message);
        }
    }

    /** Returns when {@link #endOfTurn} is to be called at the latest. */
    long nextDeadlineNanos() {
        return GroupLog.nextDeadlineNanos(logs, reads.firstDue(patience(), resendAt));
    }

    /** Asks the leaders of those groups that have not ordered it. */
    private void sendToGroups(Operation operation) {
        for (int group = 0; group < logs.size(); group++) {
            if (operation.isOrderedBy(group)
                    && !executor.groupState(group).known.has(operation.id())) {
                logs.get(group).ask(operation, now);
            }
        }
    }

    private void send(NodeId to, GeoMessage message) {
        if (to.equals(self)) {
            own.add(message);
        } else {
            outlet.send(to, message);
        }
    }

    private final class Host implements GroupLog.Host, Executor.Listener, Placer.Host {
        @Override
        public void send(NodeId to, GeoMessage message) {
            GeoPaxos.this.send(to, message);
        }

        @Override
        public boolean move(long[] objects, int from, int to) {
            return order(Submissions.Call.of(new Move(objects, from, to), NOBODY));
        }

        @Override
        public void decided(int group, long slot, LogEntry entry) {
            // What came with a state was executed there.
            if (slot > executor.groupState(group).slot && !isLeftBehind()) {
                executor.decided(group, slot, entry);
                state.processed(entry.body().length());
            }
        }

        @Override
        public void behind(int group, NodeId member) {
            if (isLeftBehind()) {
                left.cannotTeach(group, member, now);
            } else {
                state.behind(member, now);
            }
        }

        @Override
        public boolean leaves() {
            return rules.leaves();
        }

        @Override
        public void leftBehind() {
            logs.forEach(each -> each.log().abstain());
            abandon();
        }

        @Override
        public void unlike(NodeId member) {
            news.answer(member, now);
        }

        @Override
        public void done(Operation operation, long timestamp, Outcome outcome, Slice result) {
            listener.done(operation, timestamp, outcome, result);
            tellNews();
            submissions.done(operation, outcome, result, now);
            placer.executed(operation, outcome);
            reads.over(operation.id());
        }

        @Override
        public void dropped(OpId id) {
            listener.dropped(id);
            reads.over(id);
        }

        private void tellNews() {
            Object news = executor.service().news();
            if (news != null) {
                outlet.news(news);
            }
        }

        @Override
        public void processes(int group, long slot, LogEntry entry) {
            listener.processes(group, slot, entry);
        }

        @Override
        public void said(GroupEntry entry) {
            if (entry instanceof GroupEntry.Cut cut) {
                state.agreed(cut.slots());
            } else if (entry instanceof GroupEntry.Change change) {
                membership.decided(change.layout());
                groupLogs.begin(membership.layout().groups(), now);
            }
        }

        @Override
        public void restored() {
            listener.restored();
            tellNews();
            placer.restored();
            reads.restored();
        }
    }

    Placer placer() {
        return placer;
    }

    Executor executor() {
        return executor;
    }

    LeasedReads reads() {
        return reads;
    }

    SeatChanges membership() {
        return membership;
    }

    Restorations restorations() {
        return restorations;
    }

    Rules rules() {
        return rules;
    }

    ReplicatedLog log(int group) {
        return logs.get(group).log();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(self.toString());
        logs.forEach(log -> text.append("\n  ").append(log.log()));
        return text.append("\n  ").append(executor).toString();
    }
}
