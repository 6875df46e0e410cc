package io.georep.flagons.core;

import io.georep.codec.SplitMix;
import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A fleet in one process: a seed gives one run. Messages take as long as between sites of PlanetLab, and may be lost;
 * nodes are replaced; events and balls are shared.
 */
final class FleetSimulation {
    /** A node and what the world knows of it. */
    static final class Member {
        final int index;
        final Contact contact;
        final long bornAt;
        final FleetNode node;

        /** By so much its wall clock is wrong. */
        long skew;

        long diedAt = Long.MAX_VALUE;
        long timerAt = Long.MAX_VALUE;

        Member(int index, Contact contact, long bornAt, long skew, FleetRun run, SplittableRandom random, Outlet out) {
            this.index = index;
            this.contact = contact;
            this.bornAt = bornAt;
            this.skew = skew;
            node = new FleetNode(contact, run.settings, random, out, run.rules);
        }
    }

    /** A message, or the address of a node that could not be reached, or the timer of a node. */
    private record Due(Member to, String from, FleetMessage message, String unreachable) {}

    /** What the layers below add to a message: the head of a frame, a record of TLS, and the heads of TCP and IP. */
    private static final int MESSAGE_BYTES = 85;

    private static final double[][] DELAYS = {
        {0, 1}, {.05, 15}, {.25, 57}, {.5, 125}, {.75, 244}, {.9, 319}, {.95, 366}, {.99, 477}, {1, 705}
    };
    private static final int WHEEL = 4096;
    private static final long WALL = 1_600_000_000_000L;
    private static final long CHURN_EVERY = 5_000;
    private static final long DEADLINE = 6_000;

    final FleetRun run;
    final FleetJudge judge;
    final List<Member> members = new ArrayList<>();
    final List<Member> alive = new ArrayList<>();
    private final Map<Long, Member> byId = new HashMap<>();
    private final Map<RequestId, Consumer<Outcome>> waiting = new HashMap<>();
    private final Map<Ball, Integer> receivers = new IdentityHashMap<>();
    final SplittableRandom random;
    final Sessions sessions;
    private final List<List<Due>> wheel = new ArrayList<>();
    private final short[] delays = new short[4096];
    private long requests;
    long now;
    long messages;

    /** Of all nodes, if they are counted. */
    long bytes;

    final Map<String, Long> bytesByType = new TreeMap<>();
    private FleetMessage lastSized;
    private int lastSize;

    FleetSimulation(FleetRun run) {
        this.run = run;
        random = new SplittableRandom(run.seed);
        judge = new FleetJudge(this);
        sessions = new Sessions(this, run.sessions);
        for (int i = 0; i < WHEEL; i++) {
            wheel.add(new ArrayList<>());
            delays[i] = run.lan ? 1 : (short) delay((i + .5) / WHEEL);
        }
    }

    private static long delay(double share) {
        int i = 1;
        while (share > DELAYS[i][0]) {
            i++;
        }
        double[] from = DELAYS[i - 1];
        double[] to = DELAYS[i];
        return Math.max(1, Math.round(from[1] + (to[1] - from[1]) * (share - from[0]) / (to[0] - from[0])));
    }

    /** Runs to the end and returns what the judge has seen. */
    FleetJudge run() {
        for (int i = 0; i < run.nodes; i++) {
            long step = Long.divideUnsigned(-1L, run.nodes);
            create(run.evenGrid ? step * i + step / 2 : random.nextLong(), 0);
        }
        for (Member member : List.copyOf(members)) {
            member.node.start(seeds(), true, random.nextDouble(), 0, wall(member));
            timer(member);
        }
        for (now = 1; now <= run.millis; now++) {
            List<Due> due = wheel.get((int) (now % WHEEL));
            for (int i = 0; i < due.size(); i++) {
                happen(due.get(i));
            }
            due.clear();
            world();
        }
        judge.end();
        return judge;
    }

    private void happen(Due due) {
        Member to = due.to;
        if (to.diedAt <= now) {
            return;
        }
        if (due.message != null) {
            FleetMessage message = due.message;
            if (message instanceof Ball ball) {
                run.heard.accept(to, ball);
                message = run.groupsOnly == null ? ball : run.groupsOnly.arrives(this, to, ball);
            }
            to.node.onMessage(due.from, message, now, wall(to));
        } else if (due.unreachable != null) {
            to.node.unreachable(due.unreachable, now, wall(to));
        } else if (to.node.nextDeadline() <= now) {
            to.timerAt = Long.MAX_VALUE;
            to.node.onTimer(now, wall(to));
        } else {
            to.timerAt = Long.MAX_VALUE;
        }
        timer(to);
    }

    private void timer(Member member) {
        long at = Math.max(now + 1, Math.min(member.node.nextDeadline(), now + WHEEL - 1));
        if (at < member.timerAt) {
            member.timerAt = at;
            post(at, member, null);
        }
    }

    /** Something from somebody who is not seen. */
    void post(long at, Member to, FleetMessage message) {
        post(at, to, "liar", message);
    }

    private void post(long at, Member to, String from, FleetMessage message) {
        wheel.get((int) (at % WHEEL)).add(new Due(to, from, message, null));
    }

    private Member create(long position, int depth) {
        long id = random.nextLong();
        Contact contact = new Contact(id, "n" + members.size(), position, depth);
        long skew = members.isEmpty() && run.offBy != 0
                ? run.offBy
                : run.skew == 0 ? 0 : random.nextLong(-run.skew, run.skew + 1);
        Member[] holder = new Member[1];
        Member member = new Member(members.size(), contact, now, skew, run, random.split(), new Outlet() {
            @Override
            public void send(Contact to, FleetMessage message) {
                if (run.groupsOnly != null && message instanceof Ball ball) {
                    run.groupsOnly.leaves(FleetSimulation.this, holder[0], ball);
                } else {
                    FleetSimulation.this.send(holder[0], to, message);
                }
            }

            @Override
            public void answered(RequestId request, Outcome outcome) {
                judge.answers.answered(request, outcome);
                Consumer<Outcome> asks = waiting.remove(request);
                if (asks != null) {
                    asks.accept(outcome);
                }
            }

            @Override
            public void delivered(Event event) {
                judge.delivered(holder[0], event);
            }

            @Override
            public void missed(Event event) {
                judge.missed(holder[0], event);
            }

            @Override
            public void overturned(Event event, Outcome before, Outcome after) {
                judge.answers.overturned++;
            }
        });
        holder[0] = member;
        members.add(member);
        alive.add(member);
        byId.put(id, member);
        return member;
    }

    long wall(Member member) {
        return WALL + now + member.skew;
    }

    void send(Member from, Contact contact, FleetMessage message) {
        messages++;
        if (message instanceof FleetMessage.Answer answer) {
            judge.answers.told(answer);
        }
        Member to = contact.isMet()
                ? byId.get(contact.id())
                : members.get(Integer.parseInt(contact.address().substring(1)));
        if (run.countsBytes) {
            bytes += MESSAGE_BYTES + sized(message);
        }
        if (to != null && to.diedAt <= now && !isCut(from, to)) {
            wheel.get((int) ((now + delays[random.nextInt(WHEEL)]) % WHEEL))
                    .add(new Due(from, "", null, contact.address()));
        }
        if (to == null || to.diedAt <= now || random.nextDouble() < run.loss || isCut(from, to)) {
            return;
        }
        if (message instanceof Ball ball) {
            judge.relayed(from, ball);
            message = run.aliases ? changed(ball) : ball;
        }
        int slower = now >= run.slowFrom && now < run.slowTo ? random.nextInt(run.slowMillis) : 0;
        post(now + delays[random.nextInt(WHEEL)] + slower, to, from.contact.address(), message);
    }

    /** Balls of a node go to many. */
    private int sized(FleetMessage message) {
        if (message != lastSized) {
            lastSized = message;
            lastSize = FleetCodec.write(message).length();
        }
        bytesByType.merge(message.getClass().getSimpleName(), (long) lastSize + MESSAGE_BYTES, Long::sum);
        return lastSize;
    }

    /** What a receiver sees if each one before it has made the ages of a shared ball larger. */
    private Ball changed(Ball ball) {
        int before = receivers.merge(ball, 1, Integer::sum);
        List<Event> events = new ArrayList<>();
        long[] ages = new long[ball.size()];
        for (int i = 0; i < ages.length; i++) {
            events.add(ball.event(i));
            ages[i] = ball.age(i) + 100L * before;
        }
        return new Ball(events, ages);
    }

    private boolean isCut(Member from, Member to) {
        return now >= run.splitFrom && now < run.splitTo && side(from) != side(to);
    }

    /** The sides are mixed over the positions. */
    int side(Member member) {
        return Long.remainderUnsigned(SplitMix.mixed(member.contact.position()), run.splitParts) == 0 ? 0 : 1;
    }

    private List<Contact> seeds() {
        List<Contact> seeds = new ArrayList<>();
        for (int i = 0; i < Math.min(run.settings.viewSize(), alive.size()); i++) {
            seeds.add(any().node.self());
        }
        return seeds;
    }

    Member any() {
        return alive.get(random.nextInt(alive.size()));
    }

    private void world() {
        if (run.churn > 0 && now % CHURN_EVERY == 0 && now < run.millis - run.quietMillis) {
            int count = (int) (run.churn * alive.size());
            for (int i = 0; i < count; i++) {
                replace(any());
            }
        }
        if (now == run.thirdFailsAt) {
            List<Member> victims =
                    alive.stream().filter(each -> random.nextInt(3) == 0).toList();
            victims.forEach(this::kill);
        }
        if (now > 6_000 && now < run.millis - run.quietMillis && random.nextDouble() < run.rate / 1000) {
            request();
        }
        if (now > 6_000 && now < run.millis - run.quietMillis && now % 50 == 0) {
            sessions.go();
        }
        run.script.accept(this);
        if (now % 1000 == 0) {
            judge.look();
        }
    }

    void kill(Member member) {
        member.diedAt = now;
        alive.remove(member);
    }

    void replace(Member old) {
        kill(old);
        Member fresh = create(old.contact.position(), 0);
        alive.remove(fresh);
        List<Contact> seeds = seeds();
        alive.add(fresh);
        fresh.node.start(seeds, false, random.nextDouble(), now, wall(fresh));
        timer(fresh);
    }

    private void request() {
        int draw = random.nextInt(20);
        FleetOperation.Kind kind = draw < 12
                ? FleetOperation.Kind.GET
                : draw < 17
                        ? FleetOperation.Kind.PUT
                        : draw < 18 ? FleetOperation.Kind.REMOVE : FleetOperation.Kind.PUT_IF_ABSENT;
        boolean claims = kind == FleetOperation.Kind.PUT_IF_ABSENT;
        FleetOperation operation = operation(kind, Slice.utf8((claims ? "claim" : "key") + random.nextInt(run.keys)));
        boolean instant = run.any > 0 && operation.changes() && !claims && random.nextDouble() < run.any;
        int entries = random.nextInt(10) == 0 && !instant ? 3 : 1;
        for (int i = 0; i < entries; i++) {
            submit(
                    any(),
                    operation,
                    instant ? FleetConsistency.ANY : FleetConsistency.ORDERED,
                    OrderKey.FIRST,
                    run.quorum,
                    outcome -> {});
        }
    }

    FleetOperation operation(FleetOperation.Kind kind, Slice key) {
        RequestId request = new RequestId(7, requests++);
        boolean puts = kind == FleetOperation.Kind.PUT || kind == FleetOperation.Kind.PUT_IF_ABSENT;
        return new FleetOperation(request, kind, key, puts ? Slice.utf8("v" + request.number()) : null);
    }

    /** Asks a node for something; the consumer is told the outcome, unless the node has no place for it now. */
    OrderKey submit(
            Member entry,
            FleetOperation operation,
            FleetConsistency consistency,
            OrderKey after,
            int quorum,
            Consumer<Outcome> asks) {
        judge.answers.asked(operation);
        waiting.put(operation.request(), asks);
        FleetNode node = entry.node;
        OrderKey place = node.submit(operation, consistency, after, quorum, now + DEADLINE, now, wall(entry));
        if (place != null) {
            Event event = new Event(place, node.self(), operation);
            judge.made(entry, event, consistency);
            if (FleetCommand.Submit.isInOrder(operation, consistency)) {
                run.heard.accept(entry, new Ball(List.of(event), new long[1]));
            }
        }
        return place;
    }
}
