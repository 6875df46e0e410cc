package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.bench.process.ProcessMeter;
import io.georep.bench.process.Program;
import io.georep.bench.report.TextTable;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.model.Durability;
import io.georep.spi.PayloadCodec;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/** How much memory an ordered map takes at a node, and how long a restarted node takes until it answers a read. */
@Command(
        name = "georep-bench/run OrderedMapSizeBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Memory of an ordered map of --keys, and the restart of a node with it.")
public final class OrderedMapSizeBench extends LoopbackBench {
    private static final long KEY_BYTES_MAX = 100;

    OrderedMapSizeBench(PrintStream out) {
        super(out);
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new OrderedMapSizeBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        OrderedMapSettings settings = settings(keys, valueBytes, names());
        boolean sound = onNodes(Durability.OS, builder -> builder.orderedMaps(settings), this::measure);
        return sound ? 0 : 1;
    }

    /** With room for all keys. */
    static OrderedMapSettings settings(int keys, int valueBytes, String... names) {
        return OrderedMapBench.settings(names).bounds(keys, keys * (valueBytes + KEY_BYTES_MAX));
    }

    private boolean measure(List<GeoRepNode> started, Restart restart) throws Exception {
        long before = usedBytes();
        long began = System.nanoTime();
        OrderedMapBench.fill(map(started.get(0)), keys, new byte[valueBytes]);
        double filled = (System.nanoTime() - began) / 1e9;
        double bytes = (usedBytes() - before) / (double) started.size();
        int last = started.size() - 1;
        began = System.nanoTime();
        long processor = ProcessMeter.cpuNanos();
        GeoRepNode again = restart.node(last);
        byte[] found =
                map(again).get(key(keys - 1L)).toCompletableFuture().get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
        double serves = (System.nanoTime() - began) / 1e9;
        double works = (ProcessMeter.cpuNanos() - processor) / 1e9;
        new TextTable()
                .row(
                        "keys",
                        "value bytes",
                        "heap MB per node",
                        "bytes per key",
                        "fill s",
                        "restart to first read s",
                        "processor s of that")
                .row(
                        Integer.toString(keys),
                        Integer.toString(valueBytes),
                        String.format(Locale.ROOT, "%.0f", bytes / 1e6),
                        String.format(Locale.ROOT, "%.0f", bytes / keys),
                        String.format(Locale.ROOT, "%.1f", filled),
                        String.format(Locale.ROOT, "%.1f", serves),
                        String.format(Locale.ROOT, "%.1f", works))
                .print(out);
        return found != null && found.length == valueBytes;
    }

    private static OrderedMap<String, byte[]> map(GeoRepNode node) {
        return node.service(OrderedMaps.class).map("bench", PayloadCodec.string(), PayloadCodec.bytes());
    }

    private static long usedBytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
