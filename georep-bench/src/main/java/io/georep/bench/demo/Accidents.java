package io.georep.bench.demo;

import io.georep.bench.network.SlowNetwork;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Random accidents, one after the other, each for shorter or longer than it takes until a node is given up. Kills,
 * freezes and full disks hit mostly one node, sometimes several, sometimes all, since they destroy nothing. Files are
 * lost at no more than f nodes together, and only after the copies that were lost before have been made again.
 */
final class Accidents {
    private final DemoOptions options;
    private final DemoCluster cluster;
    private final NodeFiles files;
    private final @Nullable SlowNetwork network;
    private final Account account;
    private final Terminal terminal;
    private final Random random;

    Accidents(DemoOptions options, DemoCluster cluster, Account account, Terminal terminal) {
        this.options = options;
        this.cluster = cluster;
        this.files = cluster.files();
        this.network = cluster.network();
        this.account = account;
        this.terminal = terminal;
        this.random = new Random(options.accidents().seed());
    }

    /** Returns when all of them, or what they could harm, are over and the nodes see each other again. */
    void happen(BooleanSupplier over) throws IOException {
        List<AccidentKind> kinds = List.copyOf(possible());
        for (int i = 1; i <= options.accidents().count() && !kinds.isEmpty() && !over.getAsBoolean(); i++) {
            AccidentKind kind = kinds.get(random.nextInt(kinds.size()));
            pause(options.failoverAfter());
            if (kind.destroys()) {
                settle();
            }
            account.during(i, kind.name());
            happen(i, kind);
        }
        cluster.await("all nodes to see each other after the accidents", cluster::complete);
    }

    private void happen(int number, AccidentKind kind) throws IOException {
        switch (kind) {
            case KILL -> kill(number, victims());
            case FREEZE -> freeze(number, victims());
            case EMPTY, OLD -> loseStores(number, kind, 1 + random.nextInt(options.f()));
            case RESTORING -> disturbRestoration(number);
            case FULL -> fillDisks(number, victims());
            case CUT, ONE_WAY -> block(number, kind, Objects.requireNonNull(network));
            case BREAK -> breakLinks(number, Objects.requireNonNull(network));
        }
    }

    /** The kinds that were asked for and can be had; says which cannot. */
    private Set<AccidentKind> possible() {
        Set<AccidentKind> possible = EnumSet.noneOf(AccidentKind.class);
        for (AccidentKind kind : options.accidents().kinds()) {
            if (kind == AccidentKind.FULL && !files.onSmallDisks()) {
                terminal.event("left out: %s, because only root on Linux may mount a small disk", kind);
            } else if (kind.destroys() && options.f() == 0) {
                terminal.event("left out: %s, because with f = 0 nobody has a copy of what is lost", kind);
            } else if (kind.ofNetwork() && options.nodes() == 1) {
                terminal.event("left out: %s, because there is one node only", kind);
            } else {
                possible.add(kind);
            }
        }
        return possible;
    }

    /** Waits until everything has its copies again, as far as anybody can tell: see {@link AccidentOptions#settle}. */
    private void settle() {
        Duration needed = options.accidents().settle();
        long deadline = System.nanoTime() + needed.plus(options.patience()).toNanos();
        do {
            cluster.await("all nodes to see each other between two accidents", cluster::complete);
            if (System.nanoTime() > deadline) {
                throw new DemoFailure("The nodes do not settle: they do not see each other for " + needed.toSeconds()
                        + " s without a break");
            }
        } while (cluster.holdsWithin(needed, () -> !cluster.complete()));
    }

    private List<NodeProcess> shuffled() {
        List<NodeProcess> nodes = new ArrayList<>(cluster.nodes());
        Collections.shuffle(nodes, random);
        return nodes;
    }

    private List<NodeProcess> victims() {
        List<NodeProcess> victims = shuffled();
        int count = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(victims.size());
        return victims.subList(0, count);
    }

    private void kill(int number, List<NodeProcess> victims) throws IOException {
        victims.forEach(NodeProcess::kill);
        terminal.event("accident %d: kill -9 %s", number, names(victims));
        pause(options.failoverAfter().multipliedBy(2));
        for (NodeProcess victim : victims) {
            if (random.nextBoolean()) {
                files.takeImage(victim);
            }
            cluster.restart(victim);
        }
    }

    private void freeze(int number, List<NodeProcess> victims) throws IOException {
        for (NodeProcess victim : victims) {
            victim.freeze();
        }
        try {
            terminal.event("accident %d: kill -STOP %s", number, names(victims));
            double seconds = pause(options.failoverAfter().multipliedBy(2));
            terminal.event("kill -CONT %s, after %.1f s", names(victims), seconds);
        } finally {
            for (NodeProcess victim : victims) {
                victim.thaw();
            }
        }
    }

    /** Kills so many nodes, one of which loses its store, answers all that do, and starts all of them again. */
    private List<NodeProcess> loseStores(int number, AccidentKind kind, int count) throws IOException {
        List<NodeProcess> victims = shuffled().subList(0, count);
        List<NodeProcess> losers = new ArrayList<>();
        for (NodeProcess victim : victims) {
            AccidentKind fate = victim == victims.get(0) ? kind : fate();
            if (fate == AccidentKind.OLD) {
                haveImage(victim);
            }
            victim.kill();
            terminal.event("accident %d: kill -9 %s, for %s", number, victim.child(), fate);
            pause(options.failoverAfter());
            if (fate == AccidentKind.OLD) {
                files.putImageBack(victim);
            } else if (fate == AccidentKind.EMPTY) {
                files.empty(victim);
            }
            if (fate != AccidentKind.KILL) {
                losers.add(victim);
            }
        }
        List<NodeProcess> order = new ArrayList<>(victims);
        Collections.shuffle(order, random);
        for (NodeProcess victim : order) {
            pause(options.failoverAfter());
            cluster.restart(victim);
        }
        return losers;
    }

    /** What happens to another node at the time at which one loses its store. */
    private AccidentKind fate() {
        List<AccidentKind> fates = List.of(AccidentKind.KILL, AccidentKind.EMPTY, AccidentKind.OLD);
        AccidentKind drawn = fates.get(random.nextInt(fates.size()));
        return options.accidents().wants(drawn) ? drawn : AccidentKind.KILL;
    }

    /** Makes sure that there is an image, taken a moment ago or at an earlier kill. */
    private void haveImage(NodeProcess node) throws IOException {
        if (random.nextBoolean() && files.hasImage(node)) {
            return;
        }
        node.kill();
        files.takeImage(node);
        cluster.restart(node);
        terminal.event("an image of the files of %s is taken", node.name());
        pause(options.failoverAfter().multipliedBy(3));
    }

    private void disturbRestoration(int number) throws IOException {
        AccidentKind loss = random.nextBoolean() ? AccidentKind.EMPTY : AccidentKind.OLD;
        List<NodeProcess> losers = loseStores(number, loss, Math.max(1, options.f() - 1));
        NodeProcess loser = losers.get(random.nextInt(losers.size()));
        List<NodeProcess> others = shuffled();
        others.removeAll(losers);
        pause(options.failoverAfter().dividedBy(2));
        switch (random.nextInt(network == null ? 3 : 4)) {
            case 0, 1 -> kill(number, others.subList(0, 1));
            case 2 -> kill(number, List.of(loser));
            default -> {
                List<NodeProcess> away = others.subList(0, 1 + random.nextInt(others.size()));
                SlowNetwork between = Objects.requireNonNull(network);
                away.forEach(other -> blockBoth(between, loser, other));
                heal(between, String.format("accident %d: no network between %s and %s", number, loser.name(), away));
            }
        }
    }

    private void fillDisks(int number, List<NodeProcess> victims) throws IOException {
        long left = random.nextBoolean() ? 0 : NodeFiles.RESERVE_BYTES / 2;
        for (NodeProcess victim : victims) {
            files.fill(victim, left);
        }
        terminal.event("accident %d: disk full, %,d bytes left, at %s", number, left, names(victims));
        double seconds = pause(options.failoverAfter().multipliedBy(2));
        for (NodeProcess victim : victims) {
            files.free(victim);
        }
        terminal.event("space again at %s, after %.1f s", names(victims), seconds);
    }

    private void block(int number, AccidentKind kind, SlowNetwork between) {
        List<NodeProcess> nodes = shuffled();
        int middle = 1 + random.nextInt(nodes.size() - 1);
        List<NodeProcess> left = nodes.subList(0, middle);
        List<NodeProcess> right = nodes.subList(middle, nodes.size());
        for (NodeProcess from : left) {
            for (NodeProcess to : right) {
                if (kind == AccidentKind.CUT) {
                    blockBoth(between, from, to);
                } else {
                    between.block(from.index(), to.index());
                }
            }
        }
        String arrow = kind == AccidentKind.CUT ? "<->" : "->";
        heal(between, String.format("accident %d: network blocked, %s %s %s", number, left, arrow, right));
    }

    private static void blockBoth(SlowNetwork between, NodeProcess one, NodeProcess other) {
        between.block(one.index(), other.index());
        between.block(other.index(), one.index());
    }

    private void heal(SlowNetwork between, String blocked) {
        terminal.event("%s", blocked);
        double seconds = pause(options.failoverAfter().multipliedBy(2));
        between.heal();
        terminal.event("network healed, after %.1f s", seconds);
    }

    private void breakLinks(int number, SlowNetwork between) {
        int times = 1 + random.nextInt(5);
        for (int i = 0; i < times; i++) {
            for (NodeProcess one : cluster.nodes()) {
                for (NodeProcess other : cluster.nodes().subList(0, one.index())) {
                    if (random.nextBoolean()) {
                        between.breakLinks(one.index(), other.index());
                    }
                }
            }
            terminal.event("accident %d: half of the connections broken", number);
            pause(options.suspectAfter());
        }
    }

    /** Waits for at most so long; answers how many seconds it was. */
    private double pause(Duration atMost) {
        Duration chosen = Duration.ofMillis(random.nextLong(atMost.toMillis() + 1));
        cluster.holdsWithin(chosen, () -> false);
        return chosen.toMillis() / 1000.0;
    }

    private static String names(List<NodeProcess> nodes) {
        return String.join(
                ", ", nodes.stream().map(node -> node.child().toString()).toList());
    }
}
