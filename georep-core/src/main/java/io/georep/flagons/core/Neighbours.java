package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Whom a node knows: a few nodes from all of the fleet, and those of its group and around it. It exchanges contacts with the
 * others, and finds its group when it joins.
 */
final class Neighbours {
    /** What comes of it. */
    interface Moves {
        /** The node begins to join a group. */
        void joined();

        /** Its group has changed. */
        void moved();
    }

    private static final int NEAR = 16;
    private static final long TRY_LOST_MILLIS = 30_000;

    /** Members hear of each other once in so many ticks: while something changes, and while nothing does. */
    private static final int TOLD_EVERY = 15;

    private static final int TOLD_EVERY_SLOW = 64;

    /** So many members are told all that this node knows of the group, the others that it is there. */
    private static final int TOLD_ALL = 3;

    /** A node that knows nobody tries once in so many shuffles. */
    private static final int ALONE_EVERY = 8;

    /** Until it is in the views of others, events may pass by a node that joins. */
    static final int JOIN_SHUFFLES = 24;

    private final FleetSettings settings;
    private final RandomGenerator random;
    private final Outlet out;
    private final FleetCounters counters;
    private final Moves moves;
    private final Pace pace;
    final PeerView peers;
    final GroupView group;
    final PeerClocks clocks;
    final Outlook outlook = new Outlook();

    private List<Contact> seeds = List.of();

    /** Nodes do not all begin with the same one. */
    private int nextSeed;

    private int shuffles;
    private boolean joining;
    private boolean met;
    private boolean hears = true;
    private long startedAt;
    private long now;
    private long wall;
    private long tick;
    private long toldAt;
    private long shuffleAt;
    private long tryLostAt;

    Neighbours(
            Contact self,
            FleetSettings settings,
            RandomGenerator random,
            Outlet out,
            FleetCounters counters,
            Moves moves) {
        this.settings = settings;
        this.random = random;
        this.out = out;
        this.counters = counters;
        this.moves = moves;
        Gone gone = new Gone();
        peers = new PeerView(self.id(), settings, random, gone);
        group = new GroupView(self, settings, random, gone);
        clocks = new PeerClocks(settings.clockBoundMillis() / 4);
        pace = new Pace(settings);
    }

    void start(List<Contact> given, boolean founds, double phase, long nowMillis, long wallMillis) {
        startedAt = nowMillis;
        at(nowMillis, wallMillis);
        shuffleAt = now + (long) (phase * settings.shuffleMillis());
        tryLostAt = now + (long) ((1 + phase) * TRY_LOST_MILLIS);
        joining = !founds;
        seeds = List.copyOf(given);
        nextSeed = seeds.isEmpty() ? 0 : random.nextInt(seeds.size());
        for (Contact seed : seeds) {
            if (seed.isMet()) {
                peers.reply(List.of(new Aged(seed, 0)));
                group.learn(new Aged(seed, 0));
            }
        }
        meet();
    }

    /** Says how late it is, and returns whether the clock was set since. */
    boolean at(long nowMillis, long wallMillis) {
        now = nowMillis;
        wall = wallMillis;
        tick = (now - startedAt) / settings.shuffleMillis();
        peers.at(tick);
        group.at(tick);
        boolean isSet = clocks.isSet(now, wall);
        if (isSet) {
            // So that it soon hears whether it is right.
            hurry();
        }
        return isSet;
    }

    long nextDeadline() {
        return Math.min(shuffleAt, tryLostAt);
    }

    /** Says whether it hears what is sent to it now: who does not reply otherwise is not gone, and a time that it hears is an old one. */
    void hears(boolean isInTime) {
        hears = isInTime;
    }

    void onTimer() {
        if (now >= shuffleAt) {
            shuffleAt = now + pace.next();
            if (hears) {
                shuffle();
            }
        }
        if (now >= tryLostAt) {
            tryLostAt = now + TRY_LOST_MILLIS;
            knock();
        }
    }

    /** Nodes come and go around this one, so it exchanges contacts often. */
    private void hurry() {
        pace.hurry();
        shuffleAt = Math.min(shuffleAt, now + settings.shuffleMillis());
    }

    /** Takes note that a node could not be reached. */
    void unreachable(String address) {
        boolean wasNear = group.lose(address);
        if (peers.lose(address)) {
            lost(1);
        } else if (wasNear) {
            hurry();
        }
    }

    /** Returns whether it knows others, or did: also one that began the fleet may have lost all of them meanwhile. */
    boolean hasMet() {
        return met;
    }

    private void lost(int count) {
        outlook.lost(count, peers.entries().size(), now);
        hurry();
    }

    /** Begins to join when it knows somebody, unless it began the fleet. */
    private void meet() {
        if (met || peers.entries().isEmpty()) {
            return;
        }
        met = true;
        if (!joining) {
            return;
        }
        shuffles = 0;
        group.startAt(peers.entries().stream()
                .mapToInt(each -> each.contact().depth())
                .max()
                .orElse(0));
        moves.joined();
        join();
    }

    /**
     * Tries an address that was lost and one it was given, each in its turn: the other part of a split may be behind any of them, and
     * of those that were lost most may be of nodes that are no more.
     */
    private void knock() {
        knock(peers.tryAgain());
        if (!seeds.isEmpty()) {
            nextSeed = (nextSeed + 1) % seeds.size();
            knock(seeds.get(nextSeed));
        }
    }

    private void knock(@Nullable Contact at) {
        if (at != null) {
            out.send(at, new FleetMessage.Shuffle(group.self(), List.of(new Aged(group.self(), 0)), false, wall));
        }
    }

    /** Looks for members of the own group, each time nearer. */
    private void join() {
        for (Aged near : group.nearest(group.self().position(), 3)) {
            out.send(near.contact(), new FleetMessage.Join(group.self()));
        }
    }

    private void shuffle() {
        shuffles++;
        counters.shuffles++;
        int unanswered = peers.unanswered();
        if (unanswered > 0) {
            lost(unanswered);
        }
        PeerView.Outgoing outgoing = peers.shuffle(group.self());
        if (outgoing != null) {
            out.send(outgoing.to(), new FleetMessage.Shuffle(group.self(), outgoing.entries(), false, wall));
        } else if (shuffles % ALONE_EVERY == 1) {
            knock();
        }
        if (isJoining()) {
            hurry();
            if (met) {
                // Its neighbours are not known yet, so it would think itself nearly alone.
                join();
                if (shuffles % 4 == 0) {
                    tell(group.told().size());
                }
            }
        }
    }

    private boolean isJoining() {
        return joining && (!met || shuffles <= JOIN_SHUFFLES);
    }

    /** Returns whether it is to join and has met nobody. */
    boolean isLonely() {
        return joining && peers.entries().isEmpty() && group.members().isEmpty();
    }

    /**
     * Returns whom a ball goes to. Whom this node shuffles with is not in its view until the reply is there, so in a small
     * fleet the view may be empty.
     */
    List<Contact> targets(int count) {
        List<Contact> targets = new ArrayList<>();
        peers.sample(count).forEach(each -> targets.add(each.contact()));
        if (settings.paper() || targets.size() == count) {
            return targets;
        }
        for (Contact member : group.members()) {
            if (targets.size() < count && targets.stream().noneMatch(each -> each.id() == member.id())) {
                targets.add(member);
            }
        }
        return targets;
    }

    /** Looks at who is there, once in each round. */
    void look() {
        if (isJoining()) {
            return;
        }
        if (group.age()) {
            moves.moved();
            hurry();
        }
        if (group.isSettled()) {
            // With a count that others have said, the fleet may seem to be of any size.
            outlook.sees(group.fleetSize(), now);
        }
        if (tick - toldAt >= (pace.isSlow() ? TOLD_EVERY_SLOW : TOLD_EVERY)) {
            tell(TOLD_ALL);
        }
    }

    /** Tells the members and neighbours that this node is there, and so many of them all that it knows. */
    private void tell(int all) {
        toldAt = tick;
        FleetMessage whole = new FleetMessage.Members(group.told());
        FleetMessage own = new FleetMessage.Members(List.of(new Aged(group.self(), 0)));
        List<Contact> listeners = group.listeners();
        int begin = listeners.isEmpty() ? 0 : random.nextInt(listeners.size());
        for (int i = 0; i < listeners.size(); i++) {
            out.send(listeners.get((begin + i) % listeners.size()), i < all ? whole : own);
        }
    }

    private void learn(List<Aged> entries) {
        boolean isNew = false;
        for (Aged entry : entries) {
            isNew |= group.learn(entry);
        }
        if (isNew) {
            hurry();
        }
    }

    void onShuffle(FleetMessage.Shuffle shuffle) {
        if (hears) {
            clocks.heard(shuffle.sender().address(), shuffle.wallMillis(), wall);
        }
        if (shuffle.isReply()) {
            peers.replied(shuffle.sender(), shuffle.entries());
            outlook.answered(now);
        } else {
            List<Aged> reply = peers.reply(shuffle.entries());
            out.send(shuffle.sender(), new FleetMessage.Shuffle(group.self(), reply, true, wall));
        }
        learn(shuffle.entries());
        learn(List.of(new Aged(shuffle.sender(), 0)));
        meet();
    }

    void onMembers(FleetMessage.Members members) {
        learn(members.entries());
    }

    void onJoin(FleetMessage.Join join) {
        List<Aged> near = group.nearest(join.sender().position(), NEAR);
        near.add(new Aged(group.self(), 0));
        learn(List.of(new Aged(join.sender(), 0)));
        out.send(join.sender(), new FleetMessage.Members(near));
    }
}
