package io.georep.flagons.core;

import io.georep.model.Slice;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * What a large simulated fleet costs: so many nodes for 32 seconds with 100 clients that ask one thing after the other.
 * Run by hand; the page tells what it said.
 */
final class FleetBudget {
    private static final int CLIENTS = 100;

    /** A client whose node is gone asks another one after that. */
    private static final long GIVE_UP_MILLIS = 7_000;

    private final FleetRun run;
    private final Map<RequestId, Long> asking = new HashMap<>();
    private final long begun = System.nanoTime();
    private long answers;
    private long waited;
    private long peak;

    private FleetBudget(FleetRun run) {
        this.run = run;
        run.rate = 0;
        run.quietMillis = 4_000;
        run.script = this::go;
    }

    /** Takes the number of nodes, and what befalls them: loss=0.05 churn=0.1 third split. */
    public static void main(String[] args) {
        FleetRun run = new FleetRun();
        run.nodes = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        run.settings = FleetSettings.hardened(run.nodes);
        FleetBudget budget = new FleetBudget(run);
        for (String arg : args) {
            String value = arg.substring(arg.indexOf('=') + 1);
            if (arg.startsWith("loss=")) {
                run.loss = Double.parseDouble(value);
            } else if (arg.startsWith("churn=")) {
                run.churn = Double.parseDouble(value);
            } else if (arg.equals("third")) {
                run.thirdFailsAt = 12_000;
            } else if (arg.equals("split")) {
                run.splitFrom = 12_000;
                run.splitTo = 26_000;
                run.millis = 66_000;
                run.quietMillis = 30_000;
            }
        }
        budget.report(new FleetSimulation(run).run());
    }

    private void go(FleetSimulation fleet) {
        if (fleet.now % 1000 == 0) {
            asking.values().removeIf(at -> fleet.now - at > GIVE_UP_MILLIS);
            peak = Math.max(
                    peak, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            System.err.println(fleet.now + " ms simulated, cpu " + cpuSeconds());
        }
        while (fleet.now > 4_000 && fleet.now < run.millis - run.quietMillis && asking.size() < CLIENTS) {
            boolean puts = fleet.random.nextInt(5) == 0;
            Slice key = Slice.utf8("key" + fleet.random.nextInt(400));
            Operation operation = fleet.operation(puts ? Operation.Kind.PUT : Operation.Kind.GET, key);
            long at = fleet.now;
            asking.put(operation.request(), at);
            fleet.submit(fleet.any(), operation, Consistency.ORDERED, OrderKey.FIRST, 1, outcome -> {
                asking.remove(operation.request());
                waited += fleet.now - at;
                answers++;
            });
        }
    }

    private static long cpuSeconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000_000;
    }

    private void report(FleetJudge judge) {
        System.out.printf(
                "%s: %.1f s, cpu %d s, %d MB at most before collections; %d requests, %d ms each; %s%n",
                run,
                (System.nanoTime() - begun) / 1e9,
                cpuSeconds(),
                peak >> 20,
                answers,
                waited / Math.max(1, answers),
                judge);
    }
}
