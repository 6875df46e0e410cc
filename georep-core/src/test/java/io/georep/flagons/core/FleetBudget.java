package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import java.lang.management.ManagementFactory;

/**
 * What a large simulated fleet costs: so many nodes for 32 seconds with 100 clients that ask one thing after the other.
 * Run by hand; the page tells what it said.
 */
final class FleetBudget {
    private static final int CLIENTS = 100;
    private static final long COUNT_FROM = 16_000;
    private static final int COUNT_SECONDS = 5;

    private final FleetRun run;
    private final ClosedLoop clients;
    private final long begun = System.nanoTime();
    private long peak;
    private long bytes;

    private FleetBudget(FleetRun run) {
        this.run = run;
        run.keys = 400;
        run.quietMillis = 4_000;
        clients = new ClosedLoop(run, CLIENTS, Integer.MAX_VALUE, FleetConsistency.ORDERED);
        run.script = run.script.andThen(this::look);
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

    private void look(FleetSimulation fleet) {
        run.countsBytes = fleet.now >= COUNT_FROM && fleet.now < COUNT_FROM + 1000 * COUNT_SECONDS;
        bytes = fleet.bytes;
        if (fleet.now % 1000 == 0) {
            peak = Math.max(
                    peak,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            System.err.println(fleet.now + " ms simulated, cpu " + cpuSeconds());
        }
    }

    private static long cpuSeconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000_000;
    }

    private void report(FleetJudge judge) {
        System.out.printf(
                "%s: %.1f s, cpu %d s, %d MB at most before collections; %d requests, %d ms each, %.1f KB/s of a node; %s%n",
                run,
                (System.nanoTime() - begun) / 1e9,
                cpuSeconds(),
                peak >> 20,
                clients.answers(),
                clients.mean(),
                bytes / 1000.0 / COUNT_SECONDS / run.nodes,
                judge);
    }
}
