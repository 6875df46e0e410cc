package io.georep.bench.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Random accidents, one after the other: nodes are killed and started again, or frozen and thawed, for shorter or longer
 * than it takes until they are given up. Mostly one node is hit, sometimes several, sometimes all.
 */
final class Accidents {
    private final DemoOptions options;
    private final DemoCluster cluster;
    private final Terminal terminal;
    private final Random random;

    Accidents(DemoOptions options, DemoCluster cluster, Terminal terminal) {
        this.options = options;
        this.cluster = cluster;
        this.terminal = terminal;
        this.random = new Random(options.seed());
    }

    /** Returns when all of them are over and the nodes see each other again. */
    void happen() throws IOException {
        for (int i = 1; i <= options.accidents(); i++) {
            pause(options.failoverAfter());
            List<NodeProcess> victims = victims();
            if (random.nextBoolean()) {
                kill(i, victims);
            } else {
                freeze(i, victims);
            }
        }
        cluster.await("all nodes to see each other after the accidents", cluster::complete);
    }

    private List<NodeProcess> victims() {
        List<NodeProcess> victims = new ArrayList<>(cluster.nodes());
        Collections.shuffle(victims, random);
        int count = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(victims.size());
        return victims.subList(0, count);
    }

    private void kill(int number, List<NodeProcess> victims) throws IOException {
        victims.forEach(NodeProcess::kill);
        terminal.event("accident %d: kill -9 %s", number, names(victims));
        pause(options.failoverAfter().multipliedBy(2));
        for (NodeProcess victim : victims) {
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
