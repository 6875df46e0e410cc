package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node of a fleet: peer sampling, groups, the ordered rumours, the store of its group and the comparison with other
 * members. It is driven from outside: all times are arguments, in milliseconds.
 */
public final class FleetNode {
    private static final int NEAR = 16;
    private static final long TRY_LOST_MILLIS = 30_000;

    /** Group views leave once in so many shuffles. */
    private static final int GROUP_EVERY = 15;

    /** A node that knows nobody tries once in so many shuffles. */
    private static final int ALONE_EVERY = 8;

    /** Until it is in the views of others, events may pass by a node that joins. */
    private static final int JOIN_SHUFFLES = 24;

    private final FleetSettings settings;
    private final Outlet out;
    private final RandomGenerator random;
    private final PeerView peers;
    private final GroupView group;
    private final Epidemic epidemic;
    private final Replica replica;
    private final Requests requests;
    private final Errands errands;
    private final PeerClocks clocks;
    private final FleetCounters counters = new FleetCounters();

    private int shuffles;
    private boolean joining;
    private boolean met;
    private List<Contact> seeds = List.of();
    private long wall;
    private long now;
    private long roundAt;
    private long shuffleAt;
    private long compareAt;
    private long tryLostAt;

    /** Creates a node that knows nobody. */
    public FleetNode(Contact self, FleetSettings settings, RandomGenerator random, Outlet out) {
        this(self, settings, random, out, new Rules());
    }

    FleetNode(Contact self, FleetSettings settings, RandomGenerator random, Outlet out, Rules rules) {
        this.settings = settings;
        this.out = out;
        this.random = random;
        peers = new PeerView(self.id(), settings, random);
        group = new GroupView(self, settings, random);
        clocks = new PeerClocks(settings.clockBoundMillis() / 4);
        replica = new Replica(settings, rules, group, out, counters, clocks, random);
        epidemic = new Epidemic(settings, rules, counters, replica::late);
        requests = new Requests(out);
        errands = new Errands(group, replica, requests, out, counters, random);
    }

    /** Takes what the node had in an earlier life, before it starts. */
    public void load(List<Event> events, long wallMillis) {
        events.forEach(replica.store::load);
        replica.trim(wallMillis);
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
        shuffleAt = now + (long) (phase * settings.shuffleMillis());
        compareAt = now + (long) ((1 + phase) * settings.antiEntropyMillis());
        tryLostAt = now + (long) ((1 + phase) * TRY_LOST_MILLIS);
        joining = !founds;
        if (founds) {
            epidemic.founds();
            replica.coverage.coversAll();
        }
        this.seeds = List.copyOf(seeds);
        for (Contact seed : seeds) {
            if (seed.isMet()) {
                peers.reply(List.of(new Aged(seed, 0)));
                group.learn(new Aged(seed, 0));
            }
        }
        meet();
    }

    /** Begins to join when it knows somebody. */
    private void meet() {
        if (!joining || met || peers.entries().isEmpty()) {
            return;
        }
        met = true;
        shuffles = 0;
        group.startAt(peers.entries().stream()
                .mapToInt(each -> each.contact().depth())
                .max()
                .orElse(0));
        replica.moved(joinedAt(), now);
        join();
    }

    /** Tries an address that was lost, or one it was given. */
    private void knock() {
        Contact lost = peers.tryAgain();
        if (!seeds.isEmpty() && (lost == null || random.nextInt(4) == 0)) {
            lost = seeds.get(random.nextInt(seeds.size()));
        }
        if (lost != null) {
            out.send(lost, new FleetMessage.Shuffle(group.self(), List.of(new Aged(group.self(), 0)), false, wall));
        }
    }

    private OrderKey joinedAt() {
        if (settings.paper()) {
            return epidemic.last();
        }
        long reachable = wall + JOIN_SHUFFLES * settings.shuffleMillis();
        return new OrderKey(FleetClock.timeOf(reachable), Long.MIN_VALUE);
    }

    /** Looks for members of the own group, each time nearer. */
    private void join() {
        for (Aged near : group.nearest(group.self().position(), 3)) {
            out.send(near.contact(), new FleetMessage.Join(group.self()));
        }
    }

    /** Returns when {@link #onTimer} is to be called next. */
    public long nextDeadline() {
        return Math.min(Math.min(roundAt, shuffleAt), Math.min(compareAt, tryLostAt));
    }

    /** Does what is due. */
    public void onTimer(long nowMillis, long wallMillis) {
        now = nowMillis;
        wall = wallMillis;
        if (now >= roundAt) {
            roundAt = now + settings.roundMillis();
            round();
        }
        if (now >= shuffleAt) {
            shuffleAt = now + settings.shuffleMillis();
            shuffle();
        }
        if (now >= compareAt) {
            compareAt = now + settings.antiEntropyMillis();
            replica.antiEntropy.begin(epidemic.settled(wall));
            replica.forget(now, wall);
        }
        if (now >= tryLostAt) {
            tryLostAt = now + TRY_LOST_MILLIS;
            knock();
        }
    }

    private void round() {
        List<Ball> balls = epidemic.round(now);
        for (Ball ball : balls) {
            for (Contact target : targets()) {
                counters.balls++;
                out.send(target, ball);
            }
        }
        for (Event event : epidemic.deliver(now)) {
            out.delivered(event);
            if (replica.deliver(event)) {
                errands.answer(event, replica.store.outcome(event));
            }
        }
        requests.expire(now);
    }

    /**
     * Returns whom a ball goes to. Whom this node shuffles with is not in its view until the reply is there, so in a small
     * fleet the view may be empty.
     */
    private List<Contact> targets() {
        List<Contact> targets = new ArrayList<>();
        peers.sample(settings.fanout()).forEach(each -> targets.add(each.contact()));
        if (settings.paper() || targets.size() == settings.fanout()) {
            return targets;
        }
        for (Contact member : group.members()) {
            if (targets.size() < settings.fanout() && targets.stream().noneMatch(each -> each.id() == member.id())) {
                targets.add(member);
            }
        }
        return targets;
    }

    private void shuffle() {
        shuffles++;
        counters.shuffles++;
        PeerView.Outgoing outgoing = peers.shuffle(group.self());
        if (outgoing != null) {
            out.send(outgoing.to(), new FleetMessage.Shuffle(group.self(), outgoing.entries(), false, wall));
        } else if (shuffles % ALONE_EVERY == 1) {
            knock();
        }
        if (joining && !met) {
            return;
        }
        if (joining && shuffles <= JOIN_SHUFFLES) {
            // Its neighbours are not known yet, so it would think itself nearly alone.
            join();
        } else if (group.age()) {
            replica.moved(epidemic.last(), now);
        }
        if (shuffles % GROUP_EVERY == 0 || (joining && shuffles < JOIN_SHUFFLES && shuffles % 4 == 0)) {
            List<Aged> told = group.told();
            group.listeners().forEach(member -> out.send(member, new FleetMessage.Members(told)));
        }
    }

    /** Takes a message. */
    public void onMessage(FleetMessage message, long nowMillis, long wallMillis) {
        now = nowMillis;
        wall = wallMillis;
        if (message instanceof Ball ball) {
            epidemic.receive(ball, now, wall);
        } else if (message instanceof FleetMessage.Shuffle shuffle) {
            onShuffle(shuffle);
        } else if (message instanceof FleetMessage.Members members) {
            members.entries().forEach(group::learn);
        } else if (message instanceof FleetMessage.Join join) {
            List<Aged> near = group.nearest(join.sender().position(), NEAR);
            near.add(new Aged(group.self(), 0));
            group.learn(new Aged(join.sender(), 0));
            out.send(join.sender(), new FleetMessage.Members(near));
        } else if (message instanceof FleetMessage.Answer answer) {
            requests.answered(answer.request(), answer.member(), answer.outcome());
        } else if (message instanceof FleetMessage.Errand errand) {
            errands.take(errand, epidemic.frontier(wall), wall);
        } else if (message instanceof FleetMessage.Ask ask) {
            if (refusal(ask.after(), wall) == null) {
                begin(ask.operation(), ask.consistency(), ask.after(), ask.origin());
            }
        } else {
            onComparison(message);
        }
    }

    private void onComparison(FleetMessage message) {
        if (message instanceof FleetMessage.Digest digest) {
            replica.antiEntropy.onDigest(digest, epidemic.frontier(wall));
        } else if (message instanceof FleetMessage.Keys keys) {
            replica.antiEntropy.onKeys(keys);
        } else if (message instanceof FleetMessage.Pull pull) {
            replica.antiEntropy.onPull(pull);
        } else if (message instanceof FleetMessage.Data data) {
            replica.antiEntropy.onData(data, wall);
        } else if (message instanceof FleetMessage.Same same) {
            replica.antiEntropy.onSame(same, now);
        }
    }

    private void onShuffle(FleetMessage.Shuffle shuffle) {
        clocks.heard(shuffle.wallMillis(), wall);
        if (shuffle.isReply()) {
            peers.replied(shuffle.sender(), shuffle.entries());
        } else {
            List<Aged> reply = peers.reply(shuffle.entries());
            out.send(shuffle.sender(), new FleetMessage.Shuffle(group.self(), reply, true, wall));
        }
        shuffle.entries().forEach(group::learn);
        group.learn(new Aged(shuffle.sender(), 0));
        meet();
    }

    /**
     * Begins a request of a client of this node. The outlet is told its outcome once.
     *
     * @param after the request comes behind this place, and an answer is not older
     * @param quorum how many members must answer alike
     * @return its place in the order; null if this node cannot begin it yet, and then no outcome is told
     */
    public @Nullable OrderKey submit(
            Operation operation,
            Consistency consistency,
            OrderKey after,
            int quorum,
            long deadline,
            long nowMillis,
            long wallMillis) {
        now = nowMillis;
        wall = wallMillis;
        if (refusal(after, wall) != null) {
            return null;
        }
        requests.add(operation.request(), deadline, quorum);
        return begin(operation, consistency, after, group.self());
    }

    private OrderKey begin(Operation operation, Consistency consistency, OrderKey after, Contact origin) {
        epidemic.clock().saw(after.time());
        OrderKey key = new OrderKey(epidemic.clock().tick(wall), origin.id());
        Event event = new Event(key, origin, operation);
        if (FleetCommand.Submit.isInOrder(operation, consistency)) {
            epidemic.broadcast(event, now);
        } else {
            boolean latest = consistency == Consistency.ANY;
            errands.take(new FleetMessage.Errand(event, after, latest, false, 0), epidemic.frontier(wall), wall);
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

    /** Returns whether it is to be one of a fleet, and knows nobody of it. */
    boolean isLonely() {
        return joining && peers.entries().isEmpty() && group.members().isEmpty();
    }

    /** Returns who it is, with its present group. */
    public Contact self() {
        return group.self();
    }

    /** Returns how it is; some messages were refused elsewhere. */
    FleetStatus status(long refusedElsewhere) {
        return new FleetStatus(
                group.self(),
                peers.entries().size(),
                group.members().size(),
                replica.coverage.covers(group.range()),
                replica.store.size(),
                counters.holes(),
                counters.refused() + refusedElsewhere,
                counters.repaired());
    }

    /** Returns what it has counted. */
    public FleetCounters counters() {
        return counters;
    }

    PeerView peers() {
        return peers;
    }

    GroupView group() {
        return group;
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
