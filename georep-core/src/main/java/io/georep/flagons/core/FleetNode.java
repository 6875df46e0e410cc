package io.georep.flagons.core;

import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node of a fleet: peer sampling, groups, the ordered rumours, the store of its group and the comparison with other
 * members. It is driven from outside: all times are arguments, in milliseconds.
 */
public final class FleetNode {
    private static final int HOPS_MAX = 24;
    private static final int NEAR = 16;
    private static final long TRY_LOST_MILLIS = 30_000;
    private static final long GIVE_UP_MILLIS = 60_000;

    /** Group views leave once in so many shuffles. */
    private static final int GROUP_EVERY = 15;

    /** Until it is in the views of others, events may pass by a node that joins. */
    private static final int JOIN_SHUFFLES = 24;

    private final FleetSettings settings;
    private final Rules rules;
    private final Outlet out;
    private final PeerView peers;
    private final GroupView group;
    private final Epidemic epidemic;
    private final OperationStore store;
    private final Coverage coverage = new Coverage(GIVE_UP_MILLIS);
    private final AntiEntropy antiEntropy;
    private final Requests requests;
    private final FleetCounters counters = new FleetCounters();

    private int shuffles;
    private boolean joining;
    private long wall;
    private long now;
    private long roundAt;
    private long shuffleAt;
    private long compareAt;
    private long tryLostAt;
    private long movedAt = Long.MAX_VALUE / 2;
    private long trimAt;

    /** Creates a node that knows nobody. */
    public FleetNode(Contact self, FleetSettings settings, RandomGenerator random, Outlet out) {
        this(self, settings, random, out, new Rules());
    }

    FleetNode(Contact self, FleetSettings settings, RandomGenerator random, Outlet out, Rules rules) {
        this.settings = settings;
        this.rules = rules;
        this.out = out;
        peers = new PeerView(self.id(), settings, random);
        group = new GroupView(self, settings, random);
        epidemic = new Epidemic(settings, rules, counters, this::late);
        store = new OperationStore(rules);
        antiEntropy = new AntiEntropy(settings, rules, group, store, coverage, out, random, this::repair);
        requests = new Requests(out);
    }

    /**
     * Starts the node.
     *
     * @param seeds nodes that it knows
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
            coverage.coversAll();
        }
        seeds.forEach(seed -> peers.reply(List.of(new Aged(seed, 0))));
        seeds.forEach(seed -> group.learn(new Aged(seed, 0)));
        if (joining) {
            group.startAt(seeds.stream().mapToInt(Contact::depth).max().orElse(0));
            coverage.moved(group.range(), joinedAt(), now);
            join();
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
            antiEntropy.begin(epidemic.settled(wall));
            forget();
        }
        if (now >= tryLostAt) {
            tryLostAt = now + TRY_LOST_MILLIS;
            Contact lost = peers.tryAgain();
            if (lost != null) {
                out.send(
                        lost,
                        new FleetMessage.Shuffle(group.self(), List.of(new Aged(group.self(), 0)), false, wall));
            }
        }
    }

    /** Drops what belongs to others, when they have had time to compare, and what is too old to come again. */
    private void forget() {
        if (now - movedAt > GIVE_UP_MILLIS && coverage.next() == null) {
            movedAt = Long.MAX_VALUE / 2;
            store.keepOnly(group.range());
        }
        if (!settings.paper() && now >= trimAt) {
            trimAt = now + GIVE_UP_MILLIS;
            store.trim(new OrderKey(FleetClock.timeOf(wall - settings.retentionMillis()), Long.MIN_VALUE));
        }
    }

    private void round() {
        List<Ball> balls = epidemic.round(now);
        for (Ball ball : balls) {
            for (Aged target : peers.sample(settings.fanout())) {
                counters.balls++;
                out.send(target.contact(), ball);
            }
        }
        for (Event event : epidemic.deliver(now)) {
            out.delivered(event);
            deliver(event);
        }
        requests.expire(now);
    }

    private void deliver(Event event) {
        Operation operation = event.operation();
        if (!group.range().has(operation.position())) {
            return;
        }
        if (operation.changes()) {
            store.add(event);
        }
        if (rules.mayAnswer(coverage.covers(operation.position()))) {
            answer(event.origin(), operation.request(), store.outcome(event));
        }
    }

    private void answer(Contact origin, RequestId request, Outcome outcome) {
        counters.answers++;
        if (origin.id() == group.self().id()) {
            requests.answered(request, group.self().id(), outcome);
        } else {
            out.send(origin, new FleetMessage.Answer(request, group.self().id(), outcome));
        }
    }

    /** An event that came too late is an operation all the same; its place in the past says what it does. */
    private void late(Event event) {
        counters.holes++;
        out.missed(event);
        if (event.operation().changes() && group.range().has(event.operation().position())) {
            insert(event);
        }
    }

    private void repair(Event event) {
        boolean isFuture = !settings.paper()
                && FleetClock.millisOf(event.key().time()) - wall > settings.clockBoundMillis();
        if (isFuture || !event.operation().changes() || store.has(event.key())) {
            counters.refused += isFuture ? 1 : 0;
            return;
        }
        if (group.range().has(event.operation().position())) {
            counters.repaired++;
            insert(event);
        }
    }

    /** Adds an operation in the past, and tells what turns out differently by it. */
    private void insert(Event event) {
        var before = store.outcomes(event.operation().key());
        store.add(event);
        store.outcomes(event.operation().key()).forEach((key, now) -> {
            Outcome told = before.get(key);
            Event changed = store.find(key);
            if (told != null && told.status() != now.status() && changed != null) {
                out.overturned(changed, told, now);
            }
        });
    }

    private void shuffle() {
        shuffles++;
        counters.shuffles++;
        PeerView.Outgoing outgoing = peers.shuffle(group.self());
        if (outgoing != null) {
            out.send(outgoing.to(), new FleetMessage.Shuffle(group.self(), outgoing.entries(), false, wall));
        }
        if (joining && shuffles <= JOIN_SHUFFLES) {
            // Its neighbours are not known yet, so it would think itself nearly alone.
            join();
        } else if (group.age()) {
            coverage.moved(group.range(), epidemic.last(), now);
            movedAt = now;
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
            List<Aged> near = group.nearest(join.from().position(), NEAR);
            near.add(new Aged(group.self(), 0));
            group.learn(new Aged(join.from(), 0));
            out.send(join.from(), new FleetMessage.Members(near));
        } else if (message instanceof FleetMessage.Answer answer) {
            requests.answered(answer.request(), answer.member(), answer.outcome());
        } else if (message instanceof FleetMessage.Errand errand) {
            onErrand(errand);
        } else {
            onComparison(message);
        }
    }

    private void onComparison(FleetMessage message) {
        if (message instanceof FleetMessage.Digest digest) {
            antiEntropy.onDigest(digest, epidemic.frontier(wall));
        } else if (message instanceof FleetMessage.Keys keys) {
            antiEntropy.onKeys(keys);
        } else if (message instanceof FleetMessage.Pull pull) {
            antiEntropy.onPull(pull);
        } else if (message instanceof FleetMessage.Data data) {
            antiEntropy.onData(data);
        } else if (message instanceof FleetMessage.Same same) {
            antiEntropy.onSame(same, now);
        }
    }

    private void onShuffle(FleetMessage.Shuffle shuffle) {
        if (shuffle.isReply()) {
            peers.replied(shuffle.from(), shuffle.entries());
        } else {
            List<Aged> reply = peers.reply(shuffle.entries());
            out.send(shuffle.from(), new FleetMessage.Shuffle(group.self(), reply, true, wall));
        }
        shuffle.entries().forEach(group::learn);
        group.learn(new Aged(shuffle.from(), 0));
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
        if (!epidemic.mayBroadcast()) {
            return null;
        }
        epidemic.clock().saw(after.time());
        OrderKey key = new OrderKey(epidemic.clock().tick(wall), group.self().id());
        Event event = new Event(key, group.self(), operation);
        requests.add(operation.request(), deadline, quorum);
        if (consistency == Consistency.ORDERED || (consistency == Consistency.CONVERGING && operation.changes())) {
            epidemic.broadcast(event, now);
        } else {
            onErrand(new FleetMessage.Errand(event, after, consistency == Consistency.ANY, false, 0));
        }
        return key;
    }

    private void onErrand(FleetMessage.Errand errand) {
        Operation operation = errand.event().operation();
        boolean isAnswered = group.range().has(operation.position())
                && coverage.covers(operation.position())
                && (errand.latest() || errand.after().compareTo(epidemic.last()) <= 0);
        if (isAnswered && operation.changes()) {
            if (store.add(errand.event()) && !errand.isCopy()) {
                FleetMessage copy = new FleetMessage.Errand(errand.event(), errand.after(), errand.latest(), true, 0);
                group.members().forEach(member -> out.send(member, copy));
            }
            answer(errand.event().origin(), operation.request(), store.outcome(errand.event()));
        } else if (isAnswered) {
            OrderKey at = errand.latest() ? new OrderKey(Long.MAX_VALUE, Long.MAX_VALUE) : epidemic.last();
            OperationStore.State state = store.look(operation.key(), at);
            Outcome found = new Outcome(Outcome.Status.FOUND, epidemic.last(), state.value(), state.version());
            answer(errand.event().origin(), operation.request(), found);
        } else if (errand.hops() < HOPS_MAX && !errand.isCopy()) {
            pass(errand);
        }
    }

    private void pass(FleetMessage.Errand errand) {
        long position = errand.event().operation().position();
        Contact next = group.range().has(position) ? anyMember() : group.nextTo(position);
        if (next != null) {
            out.send(
                    next,
                    new FleetMessage.Errand(
                            errand.event(), errand.after(), errand.latest(), false, errand.hops() + 1));
        }
    }

    private @Nullable Contact anyMember() {
        List<Contact> members = group.members();
        return members.isEmpty() ? null : members.get(shuffles % members.size());
    }

    /** Returns who it is, with its present group. */
    public Contact self() {
        return group.self();
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
        return store;
    }

    Epidemic epidemic() {
        return epidemic;
    }

    Coverage coverage() {
        return coverage;
    }
}
