package io.georep.funnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.Lateness;
import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import io.georep.testing.LocalViewMaster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replicated maps as an application uses them, on real nodes. */
@Timeout(120)
class ReplicatedMapsTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final FunnelSettings SETTINGS = FunnelSettings.defaults()
            .bounds(10_000, 64 << 20, 1 << 20)
            .lease(Duration.ofSeconds(1), 0.01)
            .times(Duration.ofMillis(500), Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofMillis(100));

    @TempDir
    Path directory;

    private final LocalViewMaster master = LocalViewMaster.of(SETTINGS, "n1", "n2", "n3");

    private LocalCluster three() {
        LocalCluster cluster = LocalCluster.start(3, builder -> builder.replicatedMaps(SETTINGS, master));
        for (int node = 1; node <= 3; node++) {
            awaitServing(cluster, node);
        }
        return cluster;
    }

    private static ReplicatedMaps maps(LocalCluster cluster, int node) {
        return cluster.node(node).service(ReplicatedMaps.class);
    }

    private static ReplicatedMap<String, String> map(LocalCluster cluster, int node) {
        return maps(cluster, node).map("routes", PayloadCodec.string(), PayloadCodec.string());
    }

    private static void awaitServing(LocalCluster cluster, int node) {
        ReplicatedMaps maps = maps(cluster, node);
        await().atMost(LONG)
                .until(() -> maps.status().role() == MapsStatus.Role.SERVING
                        && !maps.leaseLeft().isZero());
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture()
                    .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                    .join();
            throw new AssertionError("did not fail");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    /** Writes, again if the node could not serve: each refusal says that nothing was applied. */
    private static void putWhenServed(ReplicatedMap<String, String> map, String key, String value) {
        await().atMost(LONG)
                .ignoreExceptionsMatching(e -> e.getCause() instanceof MapUnavailableException)
                .until(() -> {
                    get(map.put(key, value));
                    return true;
                });
    }

    @Test
    void whatOneNodeWroteAllOthersReadAtOnce() throws Exception {
        try (LocalCluster cluster = three()) {
            for (int i = 0; i < 100; i++) {
                get(map(cluster, 1 + i % 3).put("key", "value " + i));
                for (int node = 1; node <= 3; node++) {
                    assertThat(map(cluster, node).get("key")).isEqualTo("value " + i);
                }
            }
            assertThat(get(map(cluster, 2).remove("key"))).isTrue();
            for (int node = 1; node <= 3; node++) {
                assertThat(map(cluster, node).get("key")).isNull();
                assertThat(get(maps(cluster, node).readStatistics()).keys()).isZero();
            }
        }
    }

    @Test
    void conditionsAreDecidedAtTheCommit() throws Exception {
        try (LocalCluster cluster = three()) {
            List<CompletableFuture<String>> claims = new ArrayList<>();
            for (int node = 1; node <= 3; node++) {
                claims.add(map(cluster, node).putIfAbsent("owner", "n" + node).toCompletableFuture());
            }
            List<String> before = new ArrayList<>();
            for (CompletableFuture<String> claim : claims) {
                before.add(get(claim));
            }
            String owner = map(cluster, 1).get("owner");
            assertThat(before).containsExactlyInAnyOrder(null, owner, owner);

            String other = owner.equals("n1") ? "n2" : "n1";
            assertThat(get(map(cluster, 2).replace("owner", other, "nobody"))).isFalse();
            assertThat(get(map(cluster, 3).replace("owner", owner, "somebody"))).isTrue();
            assertThat(map(cluster, 1).get("owner")).isEqualTo("somebody");
            assertThat(get(map(cluster, 1).remove("nothing"))).isFalse();
            assertThat(get(map(cluster, 1).remove("owner"))).isTrue();
        }
    }

    @Test
    void allNodesAreToldOfChangesInTheSameOrder() throws Exception {
        try (LocalCluster cluster = three()) {
            List<List<MapChange<String, String>>> told = new ArrayList<>();
            for (int node = 1; node <= 3; node++) {
                List<MapChange<String, String>> changes = Collections.synchronizedList(new ArrayList<>());
                told.add(changes);
                map(cluster, node).listen(changes::add);
            }
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                writes.add(map(cluster, 1 + i % 3).put("key", "value " + i).toCompletableFuture());
            }
            for (CompletableFuture<Void> write : writes) {
                get(write);
            }
            for (List<MapChange<String, String>> changes : told) {
                await().atMost(LONG).until(() -> changes.size() == 300);
            }
            assertThat(told.get(1)).isEqualTo(told.get(0));
            assertThat(told.get(2)).isEqualTo(told.get(0));
            assertThat(told.get(0).get(299).value()).isEqualTo(map(cluster, 1).get("key"));
        }
    }

    @Test
    void aKeyGoesWhenItsTimeHasCome() throws Exception {
        try (LocalCluster cluster = three()) {
            WriteOptions brief = WriteOptions.defaults().timeToLive(Duration.ofMillis(200));
            get(map(cluster, 1).put("key", "value", brief));
            for (int node = 1; node <= 3; node++) {
                ReplicatedMap<String, String> map = map(cluster, node);
                await().atMost(LONG).until(() -> map.get("key") == null);
            }
        }
    }

    @Test
    void anOperationThatIsRepeatedTakesEffectOnce() throws Exception {
        try (LocalCluster cluster = three()) {
            WriteOptions first = WriteOptions.defaults().operation("web", 1);
            assertThat(get(map(cluster, 1).replace("key", "none", "x", first))).isFalse();
            get(map(cluster, 2).put("key", "none"));
            assertThat(get(map(cluster, 3).replace("key", "none", "x", first)))
                    .as("the outcome of the first time")
                    .isFalse();
            assertThat(map(cluster, 1).get("key")).isEqualTo("none");
        }
    }

    @Test
    void everyKeyIsVisited() throws Exception {
        try (LocalCluster cluster = three()) {
            Map<String, String> written = new TreeMap<>();
            for (int i = 0; i < 500; i++) {
                written.put("key " + i, "value " + i);
            }
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            written.forEach(
                    (key, value) -> writes.add(map(cluster, 1).put(key, value).toCompletableFuture()));
            for (CompletableFuture<Void> write : writes) {
                get(write);
            }
            Map<String, String> seen = new TreeMap<>();
            map(cluster, 3).forEach(seen::put);
            assertThat(seen).isEqualTo(written);
        }
    }

    private Lateness silence(LocalCluster cluster) throws Exception {
        get(map(cluster, 1).put("key", "value"));
        master.silent(true);
        return new Lateness();
    }

    @Test
    void whenTheMasterIsGoneWritesEndWithATypedErrorWithinASecondAndReadsWithTheLease() throws Exception {
        try (LocalCluster cluster = three();
                Lateness silence = silence(cluster)) {
            assertThat(map(cluster, 2).get("key")).as("under the lease").isEqualTo("value");
            await().atMost(LONG)
                    .until(() -> map(cluster, 2)
                            .put("key", "value")
                            .handle((done, error) -> error != null)
                            .toCompletableFuture()
                            .get(LONG.toSeconds(), TimeUnit.SECONDS));
            assertThat(failure(map(cluster, 2).put("key", "other")))
                    .isInstanceOfSatisfying(
                            MapUnavailableException.class,
                            e -> assertThat(e.reason()).isEqualTo(MapUnavailableException.Reason.NO_LEASE));
            assertThat(silence.elapsed()).isLessThan(Duration.ofSeconds(2));
            for (int node = 1; node <= 3; node++) {
                ReplicatedMaps maps = maps(cluster, node);
                await().atMost(LONG).until(() -> maps.leaseLeft().isZero());
                ReplicatedMap<String, String> map = map(cluster, node);
                assertThatThrownBy(() -> map.get("key"))
                        .isInstanceOfSatisfying(
                                MapUnavailableException.class,
                                e -> assertThat(e.reason()).isEqualTo(MapUnavailableException.Reason.NO_LEASE));
                assertThatThrownBy(() -> map.forEach((key, value) -> {})).isInstanceOf(MapUnavailableException.class);
            }

            master.silent(false);
            putWhenServed(map(cluster, 3), "key", "again");
            assertThat(map(cluster, 3).get("key")).isEqualTo("again");
        }
    }

    @Test
    void withoutAMemberWritesGoOnAndItCatchesUpWhenItIsBack() throws Exception {
        try (LocalCluster cluster = three()) {
            get(map(cluster, 1).put("old", "1"));
            cluster.crash(2);
            putWhenServed(map(cluster, 1), "new", "2");
            assertThat(maps(cluster, 1).status().view().members()).doesNotContain(LocalCluster.id(2));

            cluster.restart(2);
            awaitServing(cluster, 2);
            assertThat(map(cluster, 2).get("old")).isEqualTo("1");
            assertThat(map(cluster, 2).get("new")).isEqualTo("2");
            putWhenServed(map(cluster, 2), "new", "3");
            assertThat(map(cluster, 1).get("new")).isEqualTo("3");
        }
    }

    @Test
    void withoutTheTailWritesGoOn() throws Exception {
        try (LocalCluster cluster = three()) {
            get(map(cluster, 1).put("key", "1"));
            cluster.crash(3);
            putWhenServed(map(cluster, 1), "key", "2");
            assertThat(map(cluster, 2).get("key")).isEqualTo("2");
        }
    }

    @Test
    void whatIsCommittedSurvivesTheCrashOfAllNodes() throws Exception {
        try (LocalCluster cluster = three()) {
            get(map(cluster, 1).put("key", "kept"));
            for (int node = 1; node <= 3; node++) {
                cluster.crash(node);
            }
            for (int node = 1; node <= 3; node++) {
                cluster.restart(node);
            }
            for (int node = 1; node <= 3; node++) {
                awaitServing(cluster, node);
                assertThat(map(cluster, node).get("key")).isEqualTo("kept");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aNodeAloneKeepsItsMapsAndSaysThatItIsClosed(Durability durability) throws Exception {
        ReplicatedMap<String, String> map = null;
        for (int start = 0; start < 3; start++) {
            try (GeoRepNode node = GeoRepNode.builder()
                    .nodeId("solo")
                    .dataDir(directory)
                    .durability(durability)
                    .expectedAway(Duration.ZERO)
                    .replicatedMaps(SETTINGS, ViewMaster.Factory.alone())
                    .start()) {
                ReplicatedMaps maps = node.service(ReplicatedMaps.class);
                await().atMost(LONG).until(() -> maps.status().role() == MapsStatus.Role.SERVING);
                map = maps.map("routes", PayloadCodec.string(), PayloadCodec.string());
                assertThat(map.get("key")).isEqualTo(start == 0 ? null : "at " + (start - 1));
                get(map.put("key", "at " + start));
            }
        }
        ReplicatedMap<String, String> closed = map;
        assertThat(failure(closed.put("key", "x"))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> closed.get("key")).isInstanceOf(ClosedException.class);
    }

    @Test
    void moreThanAllowedIsRefused() throws Exception {
        FunnelSettings small = SETTINGS.bounds(2, 1000, 500);
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .expectedAway(Duration.ZERO)
                .replicatedMaps(small, ViewMaster.Factory.alone())
                .start()) {
            ReplicatedMaps maps = node.service(ReplicatedMaps.class);
            await().atMost(LONG).until(() -> maps.status().role() == MapsStatus.Role.SERVING);
            ReplicatedMap<String, String> map = maps.map("m", PayloadCodec.string(), PayloadCodec.string());
            get(map.put("a", "1"));
            get(map.put("b", "1"));

            assertThat(failure(map.put("c", "1"))).isInstanceOf(RejectedException.class);
            get(map.put("a", "x".repeat(450)));
            get(map.put("b", "x".repeat(450)));
            assertThat(get(map.remove("a"))).isTrue();
            get(map.put("c", "1"));
        }
    }

    @Test
    void aNodeThatHaltsLeavesItsWritesInDoubt() throws Exception {
        try (LocalCluster cluster = three()) {
            cluster.network().isolate(LocalCluster.id(1));
            CompletionStage<Void> write = map(cluster, 1).put("key", "value");
            GeoRepNode node = cluster.node(1);
            await().atMost(LONG)
                    .until(() -> maps(cluster, 1)
                                    .readStatistics()
                                    .toCompletableFuture()
                                    .get(LONG.toSeconds(), TimeUnit.SECONDS)
                                    .uncommitted()
                            == 1);
            node.halt();
            assertThat(failure(write)).isInstanceOf(IndeterminateException.class);
        }
    }
}
