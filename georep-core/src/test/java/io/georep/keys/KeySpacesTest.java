package io.georep.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.HangingStore;
import io.georep.NodeBuilder;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Key spaces as an application uses them, on real nodes. */
@Timeout(120)
class KeySpacesTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final KeySpaceSettings QUICK =
            KeySpaceSettings.defaults().times(Duration.ofSeconds(10), Duration.ofMillis(20), Duration.ofMillis(200));

    @TempDir
    Path directory;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static String text(CompletionStage<byte[]> value) throws Exception {
        byte[] found = get(value);
        return found == null ? null : new String(found, StandardCharsets.UTF_8);
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

    private static Object outcome(CompletionStage<?> stage) throws Exception {
        return get(stage.handle(
                (answer, cause) -> cause == null ? "done" : failure(stage).getClass()));
    }

    private static NodeBuilder solo(KeySpaceSettings settings) {
        return GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .expectedAway(Duration.ZERO)
                .keySpaces(settings);
    }

    private static LocalCluster three() {
        return LocalCluster.start(3, builder -> builder.keySpaces(QUICK));
    }

    private static KeySpaces keys(LocalCluster cluster, int node) {
        return cluster.node(node).service(KeySpaces.class);
    }

    private static List<String> texts(KeySpace.Page page) {
        return page.entries().stream()
                .map(entry -> entry.text() + "=" + new String(entry.value(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void recordsOfALocalSpaceSurviveARestart() throws Exception {
        for (int start = 0; start < 3; start++) {
            try (GeoRepNode node =
                    solo(QUICK).dataDir(directory).durability(Durability.FSYNC).start()) {
                KeySpace space = node.service(KeySpaces.class).local("offsets");
                assertThat(text(space.get("topic"))).isEqualTo(start == 0 ? null : "at " + (start - 1));
                assertThat(text(space.get("gone"))).isNull();

                get(space.put("topic", bytes("at " + start)));
                get(space.put("gone", bytes("x")));
                get(space.delete("gone"));
            }
        }
    }

    @Test
    void aReplicatedSpaceSurvivesARestartToo() throws Exception {
        for (int start = 0; start < 2; start++) {
            try (GeoRepNode node =
                    solo(QUICK).dataDir(directory).durability(Durability.FSYNC).start()) {
                KeySpace space = node.service(KeySpaces.class).replicated("offsets", 0);
                assertThat(text(space.get("topic"))).isEqualTo(start == 0 ? null : "here");
                get(space.put("topic", bytes("here")));
            }
        }
    }

    @Test
    void spacesOfOneNameButAnotherKindAreApart() throws Exception {
        try (GeoRepNode node = solo(QUICK).start()) {
            KeySpaces keys = node.service(KeySpaces.class);
            get(keys.local("a").put("k", bytes("local")));
            get(keys.replicated("a", 0).put("k", bytes("replicated")));
            get(keys.local("b").put("k", bytes("other")));

            assertThat(text(keys.local("a").get("k"))).isEqualTo("local");
            assertThat(text(keys.replicated("a", 0).get("k"))).isEqualTo("replicated");
            assertThat(texts(get(keys.local("b").scan(new byte[0], null, 10)))).containsExactly("k=other");
        }
    }

    @Test
    void aScanIsOrderedBoundedAndGoesOn() throws Exception {
        try (GeoRepNode node = solo(QUICK).start()) {
            for (KeySpace space : List.of(
                    node.service(KeySpaces.class).local("a"),
                    node.service(KeySpaces.class).replicated("a", 0))) {
                KeyBatch batch = new KeyBatch();
                for (int i = 9; i >= 0; i--) {
                    batch.put(bytes("k" + i), bytes("v" + i));
                }
                get(space.write(batch.delete(bytes("k5"))));

                KeySpace.Page first = get(space.scan(bytes("k2"), bytes("k8"), 3));
                KeySpace.Page second = get(space.scan(first.next(), bytes("k8"), 3));

                assertThat(texts(first)).containsExactly("k2=v2", "k3=v3", "k4=v4");
                assertThat(texts(second)).containsExactly("k6=v6", "k7=v7");
                assertThat(second.next()).isNull();
                assertThat(get(space.scan(bytes("z"), bytes("a"), 3)).entries()).isEmpty();
            }
        }
    }

    @Test
    void changesOfABatchAreMadeInOrder() throws Exception {
        try (GeoRepNode node = solo(QUICK).start()) {
            for (KeySpace space : List.of(
                    node.service(KeySpaces.class).local("a"),
                    node.service(KeySpaces.class).replicated("a", 0))) {
                get(space.write(new KeyBatch()
                        .put(bytes("k"), bytes("1"))
                        .delete(bytes("k"))
                        .put(bytes("k"), bytes("2"))
                        .put(bytes("gone"), bytes("x"))
                        .delete(bytes("gone"))));

                assertThat(texts(get(space.scan(new byte[0], null, 10)))).containsExactly("k=2");
            }
        }
    }

    @Test
    void whatIsTooLargeIsRefusedByName() {
        try (GeoRepNode node = solo(QUICK).start()) {
            KeySpaces keys = node.service(KeySpaces.class);
            KeySpace space = keys.local("a");
            assertThatThrownBy(() -> space.put(new byte[KeySpace.KEY_BYTES_MAX + 1], new byte[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the key has 1025 bytes");
            assertThatThrownBy(() -> space.put(new byte[0], new byte[1])).hasMessageContaining("1 to 1024");
            assertThatThrownBy(() -> space.put("k", new byte[KeySpace.VALUE_BYTES_MAX + 1]))
                    .hasMessageContaining("the value has 65537 bytes");
            KeyBatch full = new KeyBatch();
            for (int i = 0; i < KeySpace.BATCH_CHANGES_MAX; i++) {
                full.delete(bytes("k" + i));
            }
            assertThatThrownBy(() -> full.delete(bytes("x"))).hasMessageContaining("write it in parts");
            assertThatThrownBy(() -> keys.local("")).isInstanceOf(ConfigurationException.class);
            assertThatThrownBy(() -> keys.local("x".repeat(65))).hasMessageContaining("65 bytes");
            assertThatThrownBy(() -> keys.replicated("a", 8)).hasMessageContaining("0 to 7");
        }
    }

    @Test
    void moreThanTheBoundIsRejectedUntilThereIsRoom() throws Exception {
        try (GeoRepNode node = solo(QUICK.bounds(3, 1000)).start()) {
            KeySpaces keys = node.service(KeySpaces.class);
            KeySpace local = keys.local("a");
            KeySpace replicated = keys.replicated("a", 0);
            get(local.put("k1", bytes("v")));
            get(local.put("k2", bytes("v")));
            get(replicated.put("k3", bytes("v")));

            assertThat(failure(local.put("k4", bytes("v"))))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("4 records")
                    .hasMessageContaining("3 (recordsMax)");
            assertThat(failure(replicated.put("k4", bytes("v")))).isInstanceOf(RejectedException.class);
            assertThat(failure(local.put("k1", new byte[1000]))).hasMessageContaining("1000 (bytesMax)");
            get(local.put("k1", bytes("other")));
            get(local.delete("k2"));
            get(local.put("k4", bytes("v")));
            assertThat(text(local.get("k4"))).isEqualTo("v");
        }
    }

    @Test
    void readingsTellWhatIsHeld() throws Exception {
        try (GeoRepNode node = solo(QUICK.bounds(2, 1000)).start()) {
            KeySpaces keys = node.service(KeySpaces.class);
            get(keys.local("a").put("k1", bytes("v")));
            get(keys.replicated("a", 0).put("k2", bytes("value")));
            failure(keys.local("a").put("k3", bytes("v")));

            KeySpaceStatistics read = get(keys.readStatistics());

            assertThat(read).isEqualTo(new KeySpaceStatistics(2, 10, 0, 2, 1, 0, 0));
        }
    }

    @Test
    void aWriteIsFoundOnEveryNode() throws Exception {
        try (LocalCluster cluster = three()) {
            cluster.awaitReady(2);
            get(keys(cluster, 1).replicated("offsets", 1).put("topic", bytes("17")));

            for (int node = 1; node <= 3; node++) {
                KeySpace space = keys(cluster, node).replicated("offsets", 1);
                await().atMost(LONG)
                        .untilAsserted(
                                () -> assertThat(text(space.get("topic"))).isEqualTo("17"));
            }
        }
    }

    @Test
    void aSourceThatMovesFindsItsOffsetsWhenItsNodeIsGone() throws Exception {
        try (LocalCluster cluster = three()) {
            cluster.awaitReady(2);
            for (int i = 0; i < 100; i++) {
                get(keys(cluster, 1).replicated("offsets", 1).put("topic-" + i, bytes("at " + i)));
            }
            cluster.crash(1);

            get(keys(cluster, 2).caughtUp(1));
            KeySpace space = keys(cluster, 2).replicated("offsets", 1);
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(
                                    get(space.scan(new byte[0], null, 1000)).entries())
                            .hasSize(100));
            assertThat(text(space.get("topic-42"))).isEqualTo("at 42");
        }
    }

    @Test
    void aNodeThatWasAwayCatchesUp() throws Exception {
        try (LocalCluster cluster = three()) {
            cluster.awaitReady(2);
            get(keys(cluster, 3).replicated("offsets", 1).put("k", bytes("old")));
            cluster.crash(3);
            get(keys(cluster, 1).replicated("offsets", 1).put("k", bytes("new")));
            cluster.restart(3);

            get(keys(cluster, 3).caughtUp(2));

            assertThat(text(keys(cluster, 3).replicated("offsets", 1).get("k"))).isEqualTo("new");
        }
    }

    @Test
    void aDeletionReachesEveryNodeAndLeavesAMark() throws Exception {
        try (LocalCluster cluster = three()) {
            cluster.awaitReady(2);
            KeySpace space = keys(cluster, 2).replicated("offsets", 1);
            get(space.put("k", bytes("v")));
            get(space.delete("k"));

            for (int node = 1; node <= 3; node++) {
                KeySpaces keys = keys(cluster, node);
                await().atMost(LONG).untilAsserted(() -> {
                    assertThat(get(keys.readStatistics()).deletions()).isEqualTo(1);
                    assertThat(get(keys.readStatistics()).records()).isZero();
                });
            }
        }
    }

    @Test
    void tooFewNodesInReachIsSaidAtOnce() {
        try (GeoRepNode node = solo(QUICK).start()) {
            assertThat(failure(node.service(KeySpaces.class)
                            .replicated("offsets", 2)
                            .put("k", bytes("v"))))
                    .isInstanceOfSatisfying(
                            RejectedException.class,
                            refusal -> assertThat(refusal.reason()).isEqualTo(RejectedException.Reason.TOO_FEW_PEERS))
                    .hasMessageContaining("f is 2, but only 0");
        }
    }

    @Test
    void closingAnswersWhatIsUnderWayAndRefusesTheRest() throws Exception {
        GeoRepNode node = solo(QUICK).start();
        KeySpaces keys = node.service(KeySpaces.class);
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            puts.add(keys.local("a").put("k" + i, bytes("v")).toCompletableFuture());
        }
        CompletionStage<Void> never = keys.caughtUp(1);

        node.close();

        assertThat(puts).allMatch(put -> put.isDone() && !put.isCompletedExceptionally());
        assertThat(failure(never)).isInstanceOf(ClosedException.class);
        assertThat(failure(keys.local("a").put("k", bytes("v")))).isInstanceOf(ClosedException.class);
        assertThat(failure(keys.replicated("a", 0).get("k"))).isInstanceOf(ClosedException.class);
        assertThat(failure(keys.readStatistics())).isInstanceOf(ClosedException.class);
    }

    @Test
    void aNodeThatEndsAnswersEverybody() throws Exception {
        HangingStore store = new HangingStore();
        GeoRepNode node = solo(QUICK).store(settings -> store).start();
        KeySpaces keys = node.service(KeySpaces.class);
        get(keys.local("a").put("k", bytes("v")));
        store.hang();
        CompletionStage<Void> put = keys.local("a").put("k", bytes("w"));
        CompletionStage<byte[]> read = keys.local("a").get("k");
        await().atMost(LONG).until(() -> get(keys.readStatistics()).pending() == 1);

        CompletableFuture<Void> halted = CompletableFuture.runAsync(node::halt);
        assertThat(put.toCompletableFuture()).as("not durable").isNotDone();
        assertThat(read.toCompletableFuture()).as("what it saw is not durable").isNotDone();
        store.goOn();
        get(halted);

        // The store may have gone on just before the node ended.
        assertThat(outcome(put)).isIn("done", IndeterminateException.class);
        assertThat(outcome(read)).isIn("done", ClosedException.class);
    }

    @Test
    void aNodeWithoutThemSaysWhatToAdd() {
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .start()) {
            assertThatThrownBy(() -> node.service(KeySpaces.class))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("KeySpaces");
        }
    }

    @Test
    void theOutboxBesideThemIsNotDisturbed() throws Exception {
        try (LocalCluster cluster = three()) {
            Set<String> forwarded = ConcurrentHashMap.newKeySet();
            List<Outbox<String>> outboxes = new ArrayList<>();
            for (int node = 1; node <= 3; node++) {
                Outbox<String> outbox = cluster.node(node).outbox("q", String.class, options -> options.f(1));
                outbox.forward(delivery -> forwarded.add(delivery.payload()));
                outboxes.add(outbox);
            }
            cluster.awaitReady(1);
            List<CompletionStage<?>> all = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                all.add(outboxes.get(i % 3).send("m" + i));
                all.add(keys(cluster, 1 + i % 3).replicated("offsets", 1).put("topic-" + i % 10, bytes("m" + i)));
            }
            for (CompletionStage<?> each : all) {
                get(each);
            }

            await().atMost(LONG).until(() -> forwarded.size() == 300);
            KeySpace space = keys(cluster, 3).replicated("offsets", 1);
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(
                                    get(space.scan(new byte[0], null, 1000)).entries())
                            .hasSize(10));
        }
    }
}
