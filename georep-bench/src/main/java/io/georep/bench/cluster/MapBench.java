package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.model.Durability;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalViewMaster;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Throughput of writes to a replicated map: of writers that each wait for one write to be committed before they make the next. */
@Command(
        name = "georep-bench/run MapBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Throughput of writes to a replicated map on this machine.")
public final class MapBench extends LoopbackBench {
    @Range(min = 1, max = 10_000)
    @Option(
            names = "--writers",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "N,N",
            defaultValue = "100,1000",
            description = "Writers on all nodes together, one run each.")
    private List<Integer> writers = List.of();

    @Option(
            names = "--durability",
            split = LIST,
            hideParamSyntax = true,
            paramLabel = "LEVEL,LEVEL",
            defaultValue = "MEMORY,OS",
            description = "Levels, one run each: ${COMPLETION-CANDIDATES}.")
    private List<Durability> levels = List.of();

    MapBench(PrintStream out) {
        super(out);
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new MapBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        header("durability", "writers", "writes");
        boolean sound = true;
        for (Durability level : levels) {
            for (int count : writers) {
                FunnelSettings settings = FunnelSettings.defaults();
                LocalViewMaster master = LocalViewMaster.of(settings, names());
                sound &= onNodes(
                        level,
                        builder -> builder.replicatedMaps(settings, master),
                        (started, restart) -> measure(level.name(), count, started, writes(started)));
            }
        }
        printTable();
        return sound ? 0 : 1;
    }

    private List<Work> writes(List<GeoRepNode> started) throws Exception {
        byte[] value = new byte[valueBytes];
        List<Work> writes = new ArrayList<>();
        for (GeoRepNode node : started) {
            ReplicatedMaps service = node.service(ReplicatedMaps.class);
            CompletableFuture<Void> serving = new CompletableFuture<>();
            service.onStatus(status -> completeIfServing(serving, status));
            completeIfServing(serving, service.status());
            serving.get(START_WITHIN.toSeconds(), TimeUnit.SECONDS);
            ReplicatedMap<String, byte[]> map = service.map("bench", PayloadCodec.string(), PayloadCodec.bytes());
            writes.add(key -> map.put(key, value));
        }
        return writes;
    }

    private static void completeIfServing(CompletableFuture<Void> serving, MapsStatus status) {
        if (status.role() == MapsStatus.Role.SERVING) {
            serving.complete(null);
        }
    }
}
