package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node of a fleet: peer sampling, groups, the ordered rumours, the store of its group and the comparison with other
 * members. It is driven from outside: all times are arguments, in milliseconds.
 */
public final class FleetNode {
    /** While a group gets nothing new, its members compare so many times less often. */
    private static final int COMPARE_SLOWER = 8;

    private final FleetSettings settings;
    private final Outlet out;
    private final Neighbours neighbours;
    private final GroupView group;
    private final Epidemic epidemic;
    private final Replica replica;
    private final Requests requests;
    private final Errands errands;
    private final Favours favours;
    private final PeerClocks clocks;
    private final Effort effort;
    private final Writers writers;
    private final Hearing hearing;
    private final FleetCounters counters = new FleetCounters();

    private long wall;
    private long now;
    private long busyUntil = Long.MIN_VALUE;
    private long roundAt;
    private long compareAt;

    /** Creates a node that knows nobody. */
    public FleetNode(Contact self, FleetSettings settings, RandomGenerator random, Outlet out) {
        this(self, settings, random, out, new FleetRules());
    }

    FleetNode(Contact self, FleetSettings settings, RandomGenerator random, Outlet out, FleetRules rules) {
        this.settings = settings;
        this.out = out;
        effort = new Effort(settings);
        writers = new Writers(settings);
        neighbours = new Neighbours(self, settings, random, out, counters, new Neighbours.Moves() {
            @Override
            public void joined() {
                replica().hearsFrom(joinedAt());
                replica().moved(joinedAt(), now);
            }

            @Override
            public void moved() {
                // Soon after it has joined, some of what it has not heard of may be behind what it has delivered.
                replica().moved(OrderKey.max(replica().hearsFrom(), epidemic().last()), now);
            }
        });
        group = neighbours.group;
        clocks = neighbours.clocks;
        replica = new Replica(settings, rules, group, out, counters, clocks, effort, writers, random);
        epidemic = new Epidemic(self, settings, rules, counters, effort, writers, replica::late);
        hearing = new Hearing(settings, epidemic.rememberedMillis());
        requests = new Requests(out);
        errands = new Errands(group, replica, requests, out, counters, random);
        favours = new Favours(settings, epidemic, replica, errands, counters, out);
    }

    /** Takes what the node had in an earlier life, before it starts. */
    public void load(List<Event> events) {
        events.forEach(replica.store::load);
    }

    /**
     * Starts the node.
     *
     * @param seeds nodes that it knows, or their addresses
     * @param founds whether the fleet begins with this node and its seeds, so that nobody has anything yet
     * @param phase from 0 to 1, so that nodes do not all act at once
     */
    public void start(List<Contact> seeds, boolean founds, double phase, long nowMillis, long wallMillis) {
        now = nowMillis;
        wall = wallMillis;
        roundAt = now + (long) (phase * settings.roundMillis());
        compareAt = now + (long) ((1 + phase) * settings.antiEntropyMillis());
        if (founds) {
            epidemic.founds();
            replica.coverage.coversAll();
        } else {
            replica.hearsFrom(joinedAt());
        }
        neighbours.start(seeds, founds, phase, nowMillis, wallMillis);
    }

    private void at(long nowMillis, long wallMillis) {
        boolean wasAway = nowMillis - now > epidemic.rememberedMillis();
        now = nowMillis;
        wall = wallMillis;
        if (hearing.look(now)) {
            epidemic.drop(hearing.missedSince());
            wasAway = true;
        }
        epidemic.stoodStill(hearing.unlived(now));
        neighbours.hears(!hearing.isLate(now));
        wasAway |= neighbours.at(nowMillis, wallMillis);
        if (epidemic.isAhead(wall) && clocks.isConfirmed()) {
            epidemic.setBack(wall);
        }
        if (wasAway && !settings.paper() && neighbours.hasMet()) {
            // What others sent meanwhile could not be believed, or came to nobody. A bound by the old clock may be
            // wrong.
            replica.missedSome(joinedAt(), now);
        }
    }

    /** Says that the node has heard everything up to this time, and no more; while nobody says so, it hears at once. */
    void heard(long millis, long nowMillis) {
        hearing.heard(millis, nowMillis);
    }

    /** Takes note that a node could not be reached. */
    void unreachable(String address, long nowMillis, long wallMillis) {
        at(nowMillis, wallMillis);
        neighbours.unreachable(address);
    }

    private OrderKey joinedAt() {
        if (settings.paper()) {
            return epidemic.last();
        }
        long reachable = wall + Neighbours.JOIN_SHUFFLES * settings.shuffleMillis();
        return new OrderKey(FleetClock.timeOf(reachable), Long.MIN_VALUE);
    }

    /** Returns when {@link #onTimer} is to be called next. */
    public long nextDeadline() {
        return Math.min(Math.min(roundAt, compareAt), neighbours.nextDeadline());
    }

    /** Does what is due. */
    public void onTimer(long nowMillis, long wallMillis) {
        at(nowMillis, wallMillis);
        if (now >= roundAt) {
            roundAt = now + settings.roundMillis();
            round();
            if (!hearing.isLate(now)) {
                neighbours.look();
            }
            effort.look(now);
        }
        neighbours.onTimer();
        if (now >= compareAt) {
            compareAt = now + compareMillis();
            replica.antiEntropy.begin(epidemic.settled(wall));
            replica.forget(now, wall, neighbours.isLonely());
        }
    }

    private void round() {
        spread(epidemic.round(now));
        epidemic.wanted()
                .forEach((from, events) -> out.send(
                        Contact.unmet(from), new FleetMessage.Want(group.self().address(), events)));
        for (Event event : epidemic.deliver(now)) {
            out.delivered(event);
            if (replica.deliver(event) && !isCutOff()) {
                errands.answer(event, replica.store.outcome(event));
            }
        }
        requests.expire(now);
        if (isCutOff() || isLonely() || clocks.isOff()) {
            replica.hearsFrom(joinedAt());
        }
    }

    private void spread(Epidemic.Leaving leaving) {
        List<Contact> targets = neighbours.targets(effort.fanout());
        FleetMessage hint = new FleetMessage.Hint(group.self().address(), leaving.hints());
        for (int i = 0; i < targets.size(); i++) {
            Contact target = targets.get(i);
            for (Ball ball : i < settings.whole() ? leaving.balls() : List.<Ball>of()) {
                counters.balls++;
                out.send(target, ball);
            }
            if (!leaving.hints().isEmpty()) {
                out.send(target, hint);
            }
        }
    }

    /** Until what is new here was compared, and a few times more, this is done often. */
    private long compareMillis() {
        if (replica.takeChanged() || replica.coverage.next() != null) {
            busyUntil = now + 4 * settings.horizon() + 10 * settings.antiEntropyMillis();
        }
        long often = settings.antiEntropyMillis();
        // What one member lacks it must get while the others still have it.
        long seldom = Math.max(often, Math.min(COMPARE_SLOWER * often, settings.retentionMillis() / 100));
        return settings.paper() || now < busyUntil ? often : seldom;
    }

    /**
     * Takes a message.
     *
     * @param from who has sent it, by one name for all that it sends
     */
    public void onMessage(String from, FleetMessage message, long nowMillis, long wallMillis) {
        at(nowMillis, wallMillis);
        if (message instanceof Ball ball) {
            epidemic.receive(ball, from, now, wall);
        } else if (message instanceof FleetMessage.Hint hint) {
            epidemic.hinted(hint, from);
        } else if (message instanceof FleetMessage.Want want) {
            favours.want(from, want, now);
        } else if (message instanceof FleetMessage.Shuffle shuffle) {
            neighbours.onShuffle(shuffle);
        } else if (message instanceof FleetMessage.Members members) {
            neighbours.onMembers(members);
        } else if (message instanceof FleetMessage.Join join) {
            neighbours.onJoin(join);
        } else if (message instanceof FleetMessage.Answer answer) {
            if (!isApart()) {
                requests.answered(answer.request(), from, answer.outcome());
            }
        } else if (message instanceof FleetMessage.Errand errand) {
            favours.errand(from, errand, now, wall);
        } else if (message instanceof FleetMessage.Ask ask) {
            onAsk(from, ask);
        } else {
            favours.compare(from, message, now, wall);
        }
    }

    private void onAsk(String from, FleetMessage.Ask ask) {
        FleetOperation operation = ask.operation();
        boolean isInOrder = FleetCommand.Submit.isInOrder(operation, ask.consistency());
        if (operation.kind() == FleetOperation.Kind.LIST) {
            counters.refused++;
        } else if (refusal(ask.after(), wall) != null || (isInOrder && hearing.isLate(now))) {
            // The client asks another node in time.
            return;
        } else if (isInOrder && epidemic.isFull(ask.origin().id(), from)) {
            out.send(ask.origin(), new FleetMessage.Answer(operation.request(), Outcome.refused()));
        } else {
            begin(operation, ask.consistency(), ask.after(), ask.origin(), from);
        }
    }

    /**
     * Begins a request of a client of this node. The outlet is told its outcome once.
     *
     * @param after the request comes behind this place, and an answer is not older
     * @param quorum how many members must answer alike
     * @return its place in the order; null if this node cannot begin it yet, and then no outcome is told
     */
    public @Nullable OrderKey submit(
            FleetOperation operation,
            FleetConsistency consistency,
            OrderKey after,
            int quorum,
            long deadline,
            long nowMillis,
            long wallMillis) {
        at(nowMillis, wallMillis);
        boolean isLate = FleetCommand.Submit.isInOrder(operation, consistency) && hearing.isLate(now);
        if (isLate || refusal(after, wall) != null) {
            return null;
        }
        boolean isUnsure = consistency != FleetConsistency.ANY && (isApart() || hearing.isDeaf(now));
        requests.add(operation.request(), isUnsure ? now : deadline, quorum);
        return begin(operation, consistency, after, group.self(), group.self().address());
    }

    /** Returns whether it may see only a small part of the fleet, or of what happens in it, so that it is sure of little and answers nobody. */
    boolean isCutOff() {
        return isApart() || hearing.wasDeaf(now);
    }

    /** Returns whether that is so of those whom it hears, too. */
    private boolean isApart() {
        return !settings.paper() && (neighbours.outlook.isCutOff(now) || effort.missesFarMore());
    }

    /** Returns whether it hears of all that happens, and who answers it has all from before that. */
    boolean hearsAll() {
        return epidemic.passed(wall).compareTo(replica.hearsFrom()) >= 0;
    }

    private OrderKey begin(
            FleetOperation operation, FleetConsistency consistency, OrderKey after, Contact origin, String from) {
        epidemic.clock().saw(after.time());
        OrderKey key = new OrderKey(epidemic.clock().tick(wall), origin.id());
        Event event = new Event(key, origin, operation);
        if (!FleetCommand.Submit.isInOrder(operation, consistency)) {
            boolean latest = consistency == FleetConsistency.ANY;
            // What passed by here before the question is not told to who asks, so the answer must have it.
            OrderKey passed = hearsAll() ? OrderKey.max(epidemic.last(), replica.hearsFrom()) : epidemic.last();
            OrderKey behind = operation.kind() == FleetOperation.Kind.LIST ? OrderKey.max(after, passed) : after;
            FleetMessage.Errand errand = new FleetMessage.Errand(event, behind, latest, false, 0);
            errands.take(errand, from, now, epidemic.frontier(wall), wall);
        } else if (writers.allow(event, from, now)) {
            epidemic.broadcast(event, from, now);
        } else {
            counters.refused++;
        }
        return key;
    }

    /** Returns why this node cannot begin a request now; null if it can. */
    @Nullable
    String refusal(OrderKey after, long wallMillis) {
        if (clocks.isOff()) {
            return "its clock differs from those of the others by more than a quarter of " + settings.clockBoundMillis()
                    + " ms: set the clock right";
        }
        if (!epidemic.isReachable(after.time(), wallMillis)) {
            return "what the session has seen is of more than " + settings.clockBoundMillis()
                    + " ms ahead of the clock: set the clock right, or begin another session";
        }
        return epidemic.mayBroadcast() ? null : "it has heard of nobody yet";
    }

    /** Returns whether it has begun to compare with who is at an address, and goes by what is said from there. */
    boolean hasAsked(String address) {
        return replica.antiEntropy.hasAsked(address);
    }

    /** Returns whether others may refuse what this node adds to the order now. */
    boolean isFull() {
        return epidemic.isFull(group.self().id(), group.self().address());
    }

    /** Returns whether it is to be one of a fleet, and knows nobody of it. */
    boolean isLonely() {
        return neighbours.isLonely();
    }

    /** Returns whom it knows: some from all of the fleet, and those of its group. */
    List<Contact> acquaintances() {
        List<Contact> all = new ArrayList<>();
        neighbours.peers.entries().forEach(each -> all.add(each.contact()));
        all.addAll(group.members());
        return all;
    }

    /** Returns who it is, with its present group. */
    public Contact self() {
        return group.self();
    }

    /** Returns how it is; some messages were refused elsewhere. */
    FleetStatus status(long refusedElsewhere) {
        return new FleetStatus(
                group.self(),
                neighbours.peers.entries().size(),
                group.members().size(),
                replica.coverage.covers(group.range()),
                replica.store.size(),
                counters.holes(),
                counters.refused() + refusedElsewhere,
                counters.repaired(),
                neighbours.outlook.size(),
                isCutOff(),
                clocks.isOff(),
                effort.holeRate(),
                effort.stableMillis());
    }

    /** Returns what it has counted. */
    public FleetCounters counters() {
        return counters;
    }

    private Replica replica() {
        return replica;
    }

    PeerView peers() {
        return neighbours.peers;
    }

    GroupView group() {
        return group;
    }

    Writers writers() {
        return writers;
    }

    OperationStore store() {
        return replica.store;
    }

    Epidemic epidemic() {
        return epidemic;
    }

    Coverage coverage() {
        return replica.coverage;
    }
}
