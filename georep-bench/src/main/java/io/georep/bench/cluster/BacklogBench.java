package io.georep.bench.cluster;

import io.georep.bench.process.Arguments;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A backlog larger than memory: entries pile up at a node without a handler; then it forwards half of them, is killed,
 * started again, and forwards the rest.
 */
public final class BacklogBench {
    /** Slower than this, on top of {@link #PHASE_MIN}, a phase counts as stuck. */
    private static final long ENTRIES_PER_SECOND_MIN = 2_000;

    private static final Duration PHASE_MIN = Duration.ofMinutes(2);

    private final Workspace workspace;
    private final LoadCluster cluster;
    private final long entries;
    private final LoadNode.Handler handler;

    private BacklogBench(Workspace workspace, LoadCluster cluster, long entries, LoadNode.Handler handler) {
        this.workspace = workspace;
        this.cluster = cluster;
        this.entries = entries;
        this.handler = handler;
    }

    /** Options: {@code --entries 10000000 --bytes 300 --f 1 --durability OS --handler direct --jvm "-Xmx512m"}. */
    public static void main(String[] args) throws IOException {
        Arguments arguments = Arguments.parse(args);
        long entries = arguments.number("entries", 10_000_000, 1, 1_000_000_000);
        int payloadBytes = arguments.count("bytes", 300, 1, 1 << 20);
        int f = arguments.count("f", 1, 0, 8);
        Durability durability = arguments.choice("durability", Durability.class, Durability.OS);
        LoadNode.Handler handler = arguments.choice("handler", LoadNode.Handler.class, LoadNode.Handler.DIRECT);
        String jvm = arguments.text("jvm", "-Xmx512m");
        arguments.finish();
        // Long silence allowed: the restart is to be seen, not an adoption.
        LoadCluster.Settings settings = new LoadCluster.Settings(
                f,
                durability,
                LoadNode.Handler.NONE,
                List.of(jvm.split(" ", -1)),
                List.of("--suspect", "10000", "--terminate", "600000"));
        try (Workspace workspace = Workspace.create("georep-bench-");
                LoadCluster cluster = new LoadCluster(workspace, settings)) {
            cluster.start(f + 1);
            System.out.printf(
                    Locale.ROOT,
                    "{\"bench\":\"backlog\",\"entries\":%d,\"bytes\":%d,\"f\":%d,\"durability\":\"%s\",\"jvm\":\"%s\"",
                    entries,
                    payloadBytes,
                    f,
                    durability,
                    jvm);
            boolean isSound = new BacklogBench(workspace, cluster, entries, handler).run(payloadBytes);
            if (!isSound) {
                System.exit(1);
            }
        }
        System.exit(0);
    }

    /** Time a phase with so many entries may take. */
    static Duration phaseWithin(long entries) {
        return PHASE_MIN.plusSeconds(entries / ENTRIES_PER_SECOND_MIN);
    }

    private RemoteNode origin() {
        return cluster.nodes().get(0);
    }

    /** Answers whether no send failed and nothing was left in the end. */
    private boolean run(int payloadBytes) throws IOException {
        Duration phaseWithin = phaseWithin(entries);
        long started = System.nanoTime();
        String failed = origin().ask("fill " + entries + " " + payloadBytes, phaseWithin);
        report("fill", started);
        System.out.printf(
                Locale.ROOT, ",\"failed\":%s,\"diskBytesPerCopy\":%.1f", failed, (double) storedBytes() / entries);
        started = System.nanoTime();
        origin().ask("handle " + handler);
        long half = entries / 2;
        LoadCluster.await(
                "half of the backlog", phaseWithin, () -> origin().sample().get("handled") >= half);
        report("firstHalf", started);
        origin().child().kill();
        cluster.restart(0);
        long left = held(origin());
        System.out.printf(Locale.ROOT, ",\"bootMillis\":%d,\"heldAfterBoot\":%d", origin().bootMillis(), left);
        cluster.awaitComplete();
        started = System.nanoTime();
        origin().ask("handle " + handler);
        LoadCluster.await(
                "the rest of the backlog", phaseWithin, () -> origin().sample().get("handled") >= left);
        report("secondHalf", started);
        started = System.nanoTime();
        boolean drained = cluster.drains(phaseWithin);
        report("deletes", started);
        System.out.printf(Locale.ROOT, ",\"diskMiBAtTheEnd\":%d,\"drained\":%b}%n", storedBytes() >> 20, drained);
        return drained && failed.equals("0");
    }

    /** Bytes of the origin's data directory. */
    private long storedBytes() throws IOException {
        return workspace.bytes(origin().child().name());
    }

    private static long held(RemoteNode node) throws IOException {
        Sample status = node.status();
        return status.get("held");
    }

    private void report(String phase, long startedNanos) throws IOException {
        double seconds = (System.nanoTime() - startedNanos) / 1e9;
        System.out.printf(Locale.ROOT, ",\"%sSeconds\":%.1f,\"%sRssPeakMiB\":[", phase, seconds, phase);
        String separator = "";
        for (RemoteNode node : cluster.nodes()) {
            System.out.print(separator + (node.sample().get("rssPeak") >> 20));
            separator = ",";
        }
        System.out.print("]");
        System.out.flush();
    }
}
