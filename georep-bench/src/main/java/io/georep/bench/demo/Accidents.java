package io.georep.bench.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Random accidents, one after the other. Some last shorter, some longer than it takes until a node is given up. Kills, freezes
 * and full disks hit mostly one node, sometimes several, sometimes all, since they destroy nothing. Files are lost at no more
 * than f nodes together, and only after the copies that were lost before have been made again.
 */
final class Accidents {
    /** A disk that hangs no longer than this delays its node and does not stop it. */
    private static final Duration HANG_MAX = Duration.ofSeconds(12);

    private static final int FLOOD_FACTOR = 10;

    private final DemoOptions options;
    private final Testbed testbed;
    private final AttemptAccount account;
    private final Terminal terminal;
    private final Random random;

    Accidents(DemoOptions options, Testbed testbed, AttemptAccount account, Terminal terminal) {
        this.options = options;
        this.testbed = testbed;
        this.account = account;
        this.terminal = terminal;
        this.random = new Random(options.accidents().seed());
    }

    /** Returns when all accidents have happened, or the run that they disturb is over, and the nodes see each other again. */
    void happen(BooleanSupplier over) throws IOException {
        List<AccidentKind> kinds = List.copyOf(possible());
        for (int i = 1; i <= options.accidents().count() && !kinds.isEmpty() && !over.getAsBoolean(); i++) {
            AccidentKind kind = kinds.get(random.nextInt(kinds.size()));
            stayCalm(over);
            pause(options.failoverAfter());
            if (kind.destroys()) {
                testbed.settle();
            }
            account.during(i, kind.name());
            happen(i, kind);
        }
        testbed.awaitComplete();
    }

    /** Nothing happens for as long as the options want. */
    private void stayCalm(BooleanSupplier over) {
        for (long left = options.accidents().calm().toSeconds(); left > 0 && !over.getAsBoolean(); left--) {
            testbed.pass(Duration.ofSeconds(1));
        }
    }

    private void happen(int number, AccidentKind kind) throws IOException {
        switch (kind) {
            case KILL -> kill(number, victims());
            case FREEZE -> freeze(number, victims());
            case EMPTY, OLD -> loseStores(number, kind, 1 + random.nextInt(options.f()));
            case RESTORING -> disturbRestoration(number);
            case FULL -> fillDisks(number, victims());
            case CUT, ONE_WAY -> partition(number, kind == AccidentKind.CUT);
            case BREAK -> breakLinks(number);
            case DELAY, DAMAGE, SLOW -> disturbWays(number, kind);
            case HANG -> hangDisks(number, victims());
            case CLOCK -> stepClocks(number, victims());
            case CONSUMER -> holdConsumer(number);
            case FLOOD -> flood(number);
        }
    }

    /** Returns the kinds that were asked for and are possible here; prints which are not. */
    private Set<AccidentKind> possible() {
        Set<AccidentKind> possible = EnumSet.noneOf(AccidentKind.class);
        for (AccidentKind kind : options.accidents().kinds()) {
            String obstacle = testbed.obstacle(kind);
            if (obstacle.isEmpty()) {
                possible.add(kind);
            } else {
                terminal.event("left out: %s, because %s", kind, obstacle);
            }
        }
        return possible;
    }

    private List<Integer> shuffled() {
        List<Integer> nodes =
                IntStream.range(0, testbed.nodes()).boxed().collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(nodes, random);
        return nodes;
    }

    private List<Integer> victims() {
        List<Integer> victims = shuffled();
        int count = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(victims.size());
        return victims.subList(0, count);
    }

    private void kill(int number, List<Integer> victims) throws IOException {
        victims.forEach(testbed::kill);
        terminal.event("accident %d: kill -9 %s", number, names(victims));
        pause(options.failoverAfter().multipliedBy(2));
        for (int victim : victims) {
            if (random.nextBoolean()) {
                testbed.takeImage(victim);
            }
            testbed.restart(victim);
        }
    }

    private void freeze(int number, List<Integer> victims) throws IOException {
        for (int victim : victims) {
            testbed.freeze(victim);
        }
        try {
            terminal.event("accident %d: kill -STOP %s", number, names(victims));
            double seconds = pause(options.failoverAfter().multipliedBy(2));
            terminal.event("kill -CONT %s, after %.1f s", names(victims), seconds);
        } finally {
            for (int victim : victims) {
                testbed.thaw(victim);
            }
        }
    }

    /** Kills so many nodes, the first of which loses files, and starts them again; returns all that lost files. */
    private List<Integer> loseStores(int number, AccidentKind kind, int count) throws IOException {
        List<Integer> victims = shuffled().subList(0, count);
        List<Integer> losers = new ArrayList<>();
        for (int victim : victims) {
            AccidentKind fate = victim == victims.get(0) ? kind : fate();
            if (fate == AccidentKind.OLD) {
                haveImage(victim);
            }
            testbed.kill(victim);
            terminal.event("accident %d: kill -9 %s, for %s", number, testbed.name(victim), fate);
            pause(options.failoverAfter());
            if (fate == AccidentKind.OLD) {
                testbed.putImageBack(victim);
            } else if (fate == AccidentKind.EMPTY) {
                testbed.empty(victim);
            }
            if (fate != AccidentKind.KILL) {
                losers.add(victim);
            }
        }
        List<Integer> order = new ArrayList<>(victims);
        Collections.shuffle(order, random);
        for (int victim : order) {
            pause(options.failoverAfter());
            testbed.restart(victim);
        }
        return losers;
    }

    /** What happens to another node at the time at which one loses its files. */
    private AccidentKind fate() {
        List<AccidentKind> fates = List.of(AccidentKind.KILL, AccidentKind.EMPTY, AccidentKind.OLD);
        AccidentKind drawn = fates.get(random.nextInt(fates.size()));
        return options.accidents().wants(drawn) ? drawn : AccidentKind.KILL;
    }

    /** Makes sure that there is an image, taken a moment ago or at an earlier kill. */
    private void haveImage(int node) throws IOException {
        if (random.nextBoolean() && testbed.hasImage(node)) {
            return;
        }
        testbed.kill(node);
        testbed.takeImage(node);
        testbed.restart(node);
        terminal.event("an image of the files of %s was taken", testbed.name(node));
        pause(options.failoverAfter().multipliedBy(3));
    }

    private void disturbRestoration(int number) throws IOException {
        AccidentKind loss = random.nextBoolean() ? AccidentKind.EMPTY : AccidentKind.OLD;
        List<Integer> losers = loseStores(number, loss, Math.max(1, options.f() - 1));
        int loser = losers.get(random.nextInt(losers.size()));
        List<Integer> others = shuffled();
        others.removeAll(losers);
        pause(options.failoverAfter().dividedBy(2));
        boolean network = testbed.obstacle(AccidentKind.CUT).isEmpty();
        switch (random.nextInt(network ? 4 : 3)) {
            case 0, 1 -> kill(number, others.subList(0, 1));
            case 2 -> kill(number, List.of(loser));
            default -> {
                List<Integer> away = others.subList(0, 1 + random.nextInt(others.size()));
                partition(number, List.of(loser), away, true);
            }
        }
    }

    private void fillDisks(int number, List<Integer> victims) throws IOException {
        long left = random.nextBoolean() ? 0 : NodeFiles.RESERVE_BYTES / 2;
        for (int victim : victims) {
            testbed.fillDisk(victim, left);
        }
        terminal.event("accident %d: %,d bytes of disk left at %s", number, left, names(victims));
        double seconds = pause(options.failoverAfter().multipliedBy(2));
        for (int victim : victims) {
            testbed.freeDisk(victim);
        }
        terminal.event("space again at %s, after %.1f s", names(victims), seconds);
    }

    private void partition(int number, boolean bothWays) {
        List<Integer> nodes = shuffled();
        int middle = 1 + random.nextInt(nodes.size() - 1);
        partition(number, nodes.subList(0, middle), nodes.subList(middle, nodes.size()), bothWays);
    }

    private void partition(int number, List<Integer> from, List<Integer> to, boolean bothWays) {
        for (int one : from) {
            for (int other : to) {
                testbed.block(one, other);
                if (bothWays) {
                    testbed.block(other, one);
                }
            }
        }
        String arrow = bothWays ? "<->" : "->";
        terminal.event("accident %d: network blocked, %s %s %s", number, names(from), arrow, names(to));
        double seconds = pause(options.failoverAfter().multipliedBy(2));
        testbed.heal();
        terminal.event("network healed, after %.1f s", seconds);
    }

    /** Disturbs some ways, each to its own extent. Between two nodes there is a way for each direction. */
    private void disturbWays(int number, AccidentKind kind) {
        List<Integer> nodes = shuffled();
        int disturbed = 0;
        for (int from : nodes) {
            for (int to : nodes) {
                if (from != to && (disturbed == 0 || random.nextInt(3) == 0)) {
                    disturbed++;
                    disturb(kind, from, to);
                }
            }
        }
        terminal.event("accident %d: %s on %d ways", number, kind, disturbed);
        double seconds = pause(options.failoverAfter().multipliedBy(3));
        testbed.heal();
        terminal.event("network as before, after %.1f s", seconds);
    }

    private void disturb(AccidentKind kind, int from, int to) {
        switch (kind) {
            // Shorter than T_s even after a heartbeat's interval: no node may be suspected because of it.
            case DELAY ->
                testbed.delay(
                        from,
                        to,
                        options.suspectAfter()
                                .multipliedBy(1 + random.nextInt(5))
                                .dividedBy(10));
            case DAMAGE -> testbed.damage(from, to, 1 << (14 + random.nextInt(6)));
            default -> testbed.slow(from, to, 1 << (14 + random.nextInt(5)));
        }
    }

    /** Up to {@link #HANG_MAX}: long enough for the node to refuse sends, too short for it to stop. */
    private void hangDisks(int number, List<Integer> victims) {
        victims.forEach(victim -> testbed.hangDisk(victim, true));
        terminal.event("accident %d: the disk of %s hangs", number, names(victims));
        double seconds = pause(HANG_MAX);
        victims.forEach(victim -> testbed.hangDisk(victim, false));
        terminal.event("disk of %s goes on, after %.1f s", names(victims), seconds);
    }

    /** Jumps before a restart as well, because a node reads its wall clock only at its start. */
    private void stepClocks(int number, List<Integer> victims) throws IOException {
        for (int victim : victims) {
            Duration step = Duration.ofSeconds(random.nextInt(7200) - 3600);
            testbed.stepClock(victim, step);
            terminal.event("accident %d: clock of %s jumps by %d s", number, testbed.name(victim), step.toSeconds());
        }
        pause(options.failoverAfter());
        kill(number, victims);
    }

    private void holdConsumer(int number) {
        testbed.holdConsumer(true);
        terminal.event("accident %d: the consumer takes nothing", number);
        double seconds = pause(HANG_MAX);
        testbed.holdConsumer(false);
        terminal.event("the consumer goes on, after %.1f s", seconds);
    }

    private void flood(int number) {
        testbed.hurryProducers(FLOOD_FACTOR);
        testbed.holdConsumer(true);
        terminal.event(
                "accident %d: producers send %d times as fast, the consumer takes nothing", number, FLOOD_FACTOR);
        double seconds = pause(HANG_MAX.dividedBy(2));
        testbed.hurryProducers(1);
        testbed.holdConsumer(false);
        terminal.event("producers send as before and the consumer goes on, after %.1f s", seconds);
    }

    private void breakLinks(int number) {
        int times = 1 + random.nextInt(5);
        for (int i = 0; i < times; i++) {
            for (int one = 0; one < testbed.nodes(); one++) {
                for (int other = 0; other < one; other++) {
                    if (random.nextBoolean()) {
                        testbed.breakLinks(one, other);
                    }
                }
            }
            terminal.event("accident %d: half of the connections broken", number);
            pause(options.suspectAfter());
        }
    }

    /** Waits for at most so long; returns how many seconds it was. */
    private double pause(Duration atMost) {
        Duration chosen = Duration.ofMillis(random.nextLong(atMost.toMillis() + 1));
        testbed.pass(chosen);
        return chosen.toMillis() / 1000.0;
    }

    private String names(List<Integer> nodes) {
        return nodes.stream().map(testbed::name).collect(Collectors.joining(", "));
    }
}
