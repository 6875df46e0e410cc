package io.georep.bench.maps;

import java.io.IOException;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Draws accidents of a {@link MapCluster}. After each of them all processes run and reach each other. */
final class MapNemesis {
    private final MapCluster cluster;
    private final Random random;
    private int number;

    MapNemesis(MapCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    private void say(String format, Object... values) {
        System.out.println("accident " + number + ": " + String.format(Locale.ROOT, format, values));
    }

    private void pause(int leastMillis, int mostMillis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(leastMillis + random.nextInt(mostMillis - leastMillis + 1));
    }

    /** Makes accidents, with pauses, for as long as new ones may begin. */
    void accidents(long seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - end < 0) {
            number++;
            accident();
            pause(500, 2500);
        }
    }

    private void accident() throws IOException, InterruptedException {
        int node = random.nextInt(MapCluster.NODES);
        int other = (node + 1 + random.nextInt(MapCluster.NODES - 1)) % MapCluster.NODES;
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                say("kill -9 of node %d", node);
                cluster.kill(node);
                pause(0, 6000);
                cluster.start(node);
            }
            case 2, 3 -> {
                say("node %d stands still", node);
                cluster.freeze(node);
                pause(300, 5000);
                cluster.thaw(node);
            }
            case 4, 5 -> split();
            case 6 -> {
                say("node %d does not reach node %d", node, other);
                cluster.block(node, other);
                pause(500, 5000);
                cluster.heal();
            }
            default -> {
                say("all links of node %d break; kill -9 of node %d and of node %d", node, node, other);
                for (int each = 0; each < MapCluster.NODES; each++) {
                    if (each != node) {
                        cluster.breakLinks(node, each);
                    }
                }
                cluster.kill(node);
                cluster.kill(other);
                pause(0, 3000);
                cluster.start(other);
                cluster.start(node);
            }
        }
        cluster.check();
    }

    private void split() throws InterruptedException {
        int sides = 1 + random.nextInt((1 << MapCluster.NODES) - 2);
        say("split %s", Integer.toBinaryString((1 << MapCluster.NODES) | sides).substring(1));
        for (int from = 0; from < MapCluster.NODES; from++) {
            for (int to = 0; to < MapCluster.NODES; to++) {
                if (from != to && (sides >> from & 1) != (sides >> to & 1)) {
                    cluster.block(from, to);
                }
            }
        }
        pause(500, 6000);
        cluster.heal();
    }
}
