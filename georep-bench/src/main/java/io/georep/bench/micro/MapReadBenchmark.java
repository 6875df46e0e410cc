package io.georep.bench.micro;

import io.georep.GeoRepNode;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.model.Durability;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A read of a replicated map on a running node: a clean key from memory, and a key that has no value. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MapReadBenchmark {
    private static final long WITHIN_SECONDS = 30;

    /** How many keys the map has. */
    @Param({"1000", "100000"})
    public int keys;

    private @Nullable GeoRepNode node;
    private @Nullable ReplicatedMap<String, String> map;
    private String[] present = {};
    private String[] absent = {};
    private int next;

    /** Fills the map. */
    @Setup(Level.Trial)
    public void start() throws Exception {
        GeoRepNode started = GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .expectedAway(Duration.ZERO)
                .replicatedMaps(FunnelSettings.defaults(), ViewMaster.Factory.alone())
                .start();
        node = started;
        ReplicatedMaps maps = started.service(ReplicatedMaps.class);
        CompletableFuture<Void> serving = new CompletableFuture<>();
        maps.onStatus(status -> complete(serving, status));
        complete(serving, maps.status());
        serving.get(WITHIN_SECONDS, TimeUnit.SECONDS);
        ReplicatedMap<String, String> filled = maps.map("routes", PayloadCodec.string(), PayloadCodec.string());
        map = filled;
        present = new String[keys];
        absent = new String[1000];
        CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
        for (int i = 0; i < keys; i++) {
            present[i] = "+46" + i;
            last = filled.put(present[i], "operator " + i % 100).toCompletableFuture();
            if (i % 1000 == 999) {
                last.get(WITHIN_SECONDS, TimeUnit.SECONDS);
            }
        }
        last.get(WITHIN_SECONDS, TimeUnit.SECONDS);
        for (int i = 0; i < absent.length; i++) {
            absent[i] = "none" + i;
        }
    }

    private static void complete(CompletableFuture<Void> serving, MapsStatus status) {
        if (status.role() == MapsStatus.Role.SERVING) {
            serving.complete(null);
        }
    }

    /** Stops the node. */
    @TearDown(Level.Trial)
    public void stop() {
        Objects.requireNonNull(node).halt();
    }

    /** A key with a value. */
    @Benchmark
    public @Nullable String clean() {
        next = next + 1 < present.length ? next + 1 : 0;
        return Objects.requireNonNull(map).get(present[next]);
    }

    /** A key without. */
    @Benchmark
    public @Nullable String absent() {
        next = next + 1 < absent.length ? next + 1 : 0;
        return Objects.requireNonNull(map).get(absent[next]);
    }
}
