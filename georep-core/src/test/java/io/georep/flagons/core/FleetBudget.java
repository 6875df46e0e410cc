package io.georep.flagons.core;

import io.georep.model.Slice;
import java.lang.management.ManagementFactory;

/**
 * What a large simulated fleet costs: so many nodes for 32 seconds with 100 clients that ask one thing after the other.
 * Run by hand; the page tells what it said.
 */
final class FleetBudget {
    private static final int CLIENTS = 100;

    private FleetBudget() {}

    public static void main(String[] args) {
        int nodes = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        FleetRun run = new FleetRun();
        run.nodes = nodes;
        run.settings = FleetSettings.hardened(nodes);
        run.rate = 0;
        run.quietMillis = 4_000;
        int[] asking = new int[1];
        long[] latency = new long[2];
        run.script = fleet -> {
            while (fleet.now > 4_000 && fleet.now < run.millis - run.quietMillis && asking[0] < CLIENTS) {
                boolean puts = fleet.random.nextInt(5) == 0;
                Slice key = Slice.utf8("key" + fleet.random.nextInt(400));
                Operation.Kind kind = puts ? Operation.Kind.PUT : Operation.Kind.GET;
                long at = fleet.now;
                asking[0]++;
                fleet.submit(
                        fleet.any(), fleet.operation(kind, key), Consistency.ORDERED, OrderKey.FIRST, 1, outcome -> {
                            asking[0]--;
                            latency[0] += fleet.now - at;
                            latency[1]++;
                        });
            }
        };
        long begun = System.nanoTime();
        FleetSimulation fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();
        double seconds = (System.nanoTime() - begun) / 1e9;
        Runtime runtime = Runtime.getRuntime();
        System.out.printf(
                "%d nodes: %.1f s, cpu %.1f s, %d MB in use before a collection of %d; %d requests, %d ms each; %s%n",
                nodes,
                seconds,
                ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9,
                (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                runtime.maxMemory() >> 20,
                latency[1],
                latency[0] / Math.max(1, latency[1]),
                judge);
    }
}
