package io.georep.tally;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.metrics.GeoRepMetrics;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.StoreException;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxService;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import io.georep.rumour.RumourModule;
import io.georep.testing.LocalCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A second protocol beside the outbox, brought to real nodes as any user would. */
@Timeout(120)
class TallyTest {
    private static final int CHANNEL = 77;
    private static final Duration LONG = Duration.ofSeconds(30);

    private static LocalCluster three() {
        return LocalCluster.start(3, builder -> builder.add(new TallyModule(CHANNEL)));
    }

    private static Tally tally(LocalCluster cluster, int node) {
        return cluster.node(node).service(Tally.class);
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static void awaitCounts(LocalCluster cluster, int node, Map<String, Long> counts) {
        await().atMost(LONG)
                .untilAsserted(
                        () -> assertThat(get(tally(cluster, node).counts())).isEqualTo(counts));
    }

    @Test
    void countsReachEveryNodeBesideABusyOutbox() throws Exception {
        try (LocalCluster cluster = three()) {
            Set<String> forwarded = ConcurrentHashMap.newKeySet();
            List<Outbox<String>> outboxes = new ArrayList<>();
            for (int node = 1; node <= 3; node++) {
                Outbox<String> outbox = cluster.node(node).outbox("q", String.class, options -> options.f(1));
                outbox.forward(delivery -> forwarded.add(delivery.payload()));
                outboxes.add(outbox);
            }
            cluster.awaitReady(1);

            List<CompletionStage<EntryId>> sends = new ArrayList<>();
            List<CompletionStage<Long>> adds = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                sends.add(outboxes.get(i % 3).send("m" + i));
                adds.add(tally(cluster, 1 + i % 2).add());
            }
            for (CompletionStage<EntryId> send : sends) {
                get(send);
            }

            assertThat(get(adds.get(298))).as("of 150 on n1").isEqualTo(150);
            for (int node = 1; node <= 3; node++) {
                awaitCounts(cluster, node, Map.of("n1", 150L, "n2", 150L));
            }
            await().atMost(LONG).until(() -> forwarded.size() == 300);
        }
    }

    @Test
    void whatItCountedIsAmongTheStatisticsAndMetersOfItsNode() throws Exception {
        try (LocalCluster cluster = three()) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new GeoRepMetrics(cluster.node(1)).bindTo(registry);
            get(tally(cluster, 1).add());
            get(tally(cluster, 1).add());

            TallyStatistics statistics = cluster.node(1).statistics().of(TallyStatistics.class);

            assertThat(statistics).isEqualTo(new TallyStatistics(Map.of("n1", 2L), 0));
            assertThat(statistics.summary()).containsEntry("tallyNodes", 1);
            await().atMost(LONG).until(() -> {
                registry.get("georep.running").gauge().value();
                registry.get("georep.store.ready").gauge().value();
                var count = registry.find("georep.tally.count").tags("counting", "n1", "node", "n1");
                return count.functionCounter() != null
                        && count.functionCounter().count() == 2;
            });
            assertThat(registry.get("georep.tally.waiting").gauge().value()).isZero();
            assertThat(registry.get("georep.copies").gauge().value()).isZero();
        }
    }

    /** A node that joins the others later, by a restart with more software. */
    @Test
    void aNodeWithoutItGetsNoneOfItUntilItIsRestartedWithIt() throws Exception {
        AtomicInteger starts = new AtomicInteger();
        try (LocalCluster cluster = LocalCluster.start(
                3, builder -> starts.incrementAndGet() == 3 ? builder : builder.add(new TallyModule(CHANNEL)))) {
            cluster.awaitReady(2);
            get(tally(cluster, 1).add());
            awaitCounts(cluster, 2, Map.of("n1", 1L));
            await().atMost(LONG).until(() -> cluster.node(1).statistics().messagesWithheld() > 0);
            assertThat(cluster.node(3).statistics().messagesIgnored()).isZero();
            assertThat(cluster.node(3).statistics().framesRefused()).isZero();

            cluster.close(3, Duration.ofSeconds(10));
            cluster.restart(3);

            awaitCounts(cluster, 3, Map.of("n1", 1L));
            get(tally(cluster, 3).add());
            awaitCounts(cluster, 1, Map.of("n1", 1L, "n3", 1L));
        }
    }

    @Test
    void anOlderVersionLeavesAsideWhatItDoesNotKnow() throws Exception {
        AtomicInteger starts = new AtomicInteger();
        try (LocalCluster cluster = LocalCluster.start(
                3, builder -> builder.add(new TallyModule(CHANNEL, starts.incrementAndGet() == 3 ? 1 : 2)))) {
            get(tally(cluster, 1).add());
            get(tally(cluster, 3).add());
            for (int node = 1; node <= 3; node++) {
                awaitCounts(cluster, node, Map.of("n1", 1L, "n3", 1L));
            }

            await().atMost(LONG).until(() -> cluster.node(3).statistics().messagesIgnored() > 0);
            assertThat(cluster.node(3).statistics().framesRefused()).isZero();
            assertThat(cluster.node(1).statistics().messagesIgnored()).isZero();
            assertThat(cluster.node(1).statistics().messagesWithheld()).isZero();
        }
    }

    @Test
    void countsSurviveACrashAndARestart() throws Exception {
        try (LocalCluster cluster = three()) {
            get(tally(cluster, 1).add());
            get(tally(cluster, 1).add());
            cluster.crash(1);
            cluster.restart(1);

            assertThat(get(tally(cluster, 1).add())).isEqualTo(3);
            awaitCounts(cluster, 2, Map.of("n1", 3L));
        }
    }

    @Test
    void closingAnswersWhatIsUnderWayAndRefusesTheRest() throws Exception {
        try (LocalCluster cluster = three()) {
            Tally tally = tally(cluster, 1);
            List<CompletionStage<Long>> adds = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                adds.add(tally.add());
            }

            cluster.close(1, Duration.ZERO);

            assertThat(adds)
                    .allMatch(add -> add.toCompletableFuture().isDone()
                            && !add.toCompletableFuture().isCompletedExceptionally());
            assertThatThrownBy(() -> get(tally.add())).hasCauseInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> get(tally.counts())).hasCauseInstanceOf(ClosedException.class);
        }
    }

    @Test
    void aNodeThatEndsAnswersEverybody() throws Exception {
        try (LocalCluster cluster = three()) {
            Tally tally = tally(cluster, 1);
            CompletableFuture<Long> add = tally.add().toCompletableFuture();

            cluster.crash(1);

            await().atMost(LONG).until(add::isDone);
        }
    }

    @Test
    void aServiceIsFoundByItsTypeOnly() {
        try (LocalCluster cluster = three()) {
            assertThat(cluster.node(1).service(OutboxService.class)).isNotNull();
            assertThatThrownBy(() -> cluster.node(1).service(Runnable.class))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("java.lang.Runnable")
                    .hasMessageContaining("add(");
        }
    }

    @Test
    void channelsThatAreTakenOrNotAllowedAreRefusedByName() {
        assertThatThrownBy(() -> GeoRepNode.builder()
                        .nodeId("n")
                        .durability(Durability.MEMORY)
                        .add(new TallyModule(2))
                        .add(new TallyModule(255))
                        .add(new TallyModule(99, 0))
                        .add(new TallyModule(100, 256))
                        .start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'outbox' and 'tally' are both on channel 2")
                .hasMessageContaining(
                        "'tally' is on channel 2, allowed are 64 to 254: lower ones are for protocols of this library")
                .hasMessageContaining("'tally' is on channel 255")
                .hasMessageContaining("'tally' is of version 0, allowed are 1 to 255")
                .hasMessageContaining("'tally' is of version 256");
    }

    @Test
    void aNumberBelongsToOneProtocolInADataDirectory(@TempDir Path directory) {
        NodeBuilder builder =
                GeoRepNode.builder().nodeId("n").durability(Durability.OS).dataDir(directory);
        builder.add(new RumourModule(CHANNEL)).start().close(Duration.ZERO);

        assertThatThrownBy(() -> GeoRepNode.builder()
                        .nodeId("n")
                        .durability(Durability.OS)
                        .dataDir(directory)
                        .add(new TallyModule(CHANNEL))
                        .start())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("protocol 'rumours' wrote under number 77");
        builder.start().close(Duration.ZERO);
    }

    @Test
    void moreProtocolsThanCanBeAnnouncedAreRefused() {
        NodeBuilder builder = GeoRepNode.builder().nodeId("n").durability(Durability.MEMORY);
        for (int channel = 100; channel < 163; channel++) {
            builder.add(new TallyModule(channel));
        }

        assertThatThrownBy(builder::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("64 protocols beside the membership, at most 63");
    }

    @Test
    void aNodeMayHaveNoOutbox() throws Exception {
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId("bare")
                .durability(Durability.MEMORY)
                .withoutOutbox();
        assertThatThrownBy(builder::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a node without outbox has nothing to do");

        try (GeoRepNode node = builder.add(new TallyModule(CHANNEL, 2)).start()) {
            assertThat(get(node.service(Tally.class).add())).isEqualTo(1);
            assertThat(node.ready(0)).isTrue();
            assertThatThrownBy(() -> node.outbox("q", String.class))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("runs no protocol with the API");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .contains("georep-bare-tally")
                    .doesNotContain("georep-bare-outbox");
        }
    }

    @Test
    void aModuleAndItsProtocolSayTheSame() {
        ProtocolModule<Tally, TallyProtocol.Command, TallyProtocol.Event> split = new ProtocolModule<>() {
            private final TallyModule tally = new TallyModule(CHANNEL, 2);

            @Override
            public ProtocolId id() {
                return new ProtocolId(CHANNEL, "split", 2);
            }

            @Override
            public Class<Tally> serviceType() {
                return Tally.class;
            }

            @Override
            public Parts<Tally, TallyProtocol.Command, TallyProtocol.Event> start(
                    Place place, Peers peers, NodeHandle<TallyProtocol.Command> node) {
                return tally.start(place, peers, node);
            }
        };

        assertThatThrownBy(() -> GeoRepNode.builder()
                        .nodeId("n")
                        .durability(Durability.MEMORY)
                        .add(split)
                        .start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("name=split")
                .hasMessageContaining("name=tally");
    }
}
