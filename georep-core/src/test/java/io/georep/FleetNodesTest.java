package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.flagons.FleetChange;
import io.georep.flagons.FleetListener;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetResult;
import io.georep.flagons.FleetSession;
import io.georep.flagons.FleetStatistics;
import io.georep.flagons.FleetUnavailableException;
import io.georep.flagons.core.FleetSettings;
import io.georep.flagons.local.FleetModule;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a fleet in one JVM, which are nobody's peers. */
@Timeout(120)
class FleetNodesTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final LocalNetwork network = new LocalNetwork();
    private final List<GeoRepNode> nodes = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private GeoRepNode start(int number) {
        List<String> seeds = number == 1 ? List.of() : List.of("local:2001");
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("n" + number)
                .listen("local", 2000 + number)
                .dataDir(directory.resolve("n" + number))
                .durability(Durability.OS)
                .transport(network.transports())
                .addOwn(new FleetModule(FleetSettings.hardened(3, 20), seeds))
                .start();
        nodes.add(node);
        return node;
    }

    private static FleetMap<String, String> map(GeoRepNode node) {
        return node.service(FleetMaps.class).map("m", PayloadCodec.string(), PayloadCodec.string());
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static FleetStatistics status(GeoRepNode node) {
        return get(node.service(FleetMaps.class).readStatistics());
    }

    private static void awaitComplete(GeoRepNode node, int others) {
        await().atMost(LONG).untilAsserted(() -> {
            FleetStatistics status = status(node);
            assertThat(status.complete()).as(status.toString()).isTrue();
            assertThat(status.members()).as(status.toString()).isGreaterThanOrEqualTo(others);
        });
    }

    @Test
    void whatOneNodePutsAnotherFindsAndANodeThatWasAwayGoesOnWithItsDisk() {
        for (int number = 1; number <= 3; number++) {
            start(number);
        }
        nodes.forEach(node -> awaitComplete(node, 2));

        FleetSession session = new FleetSession();
        FleetResult<String> put = get(map(nodes.get(1)).put("k", "v", FleetOptions.ORDERED.in(session)));
        FleetSession moved = FleetSession.of(session.mark());
        FleetResult<String> found = get(map(nodes.get(2)).get("k", FleetOptions.CONVERGING.in(moved)));

        assertThat(put.isApplied()).isTrue();
        assertThat(found.value()).isEqualTo("v");
        assertThat(found.version()).isEqualTo(put.place());
        assertThat(found.place()).isGreaterThanOrEqualTo(put.place());
        assertThat(nodes.get(0).peers()).as("peers").isEmpty();

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(nodes.stream().map(FleetNodesTest::status))
                        .allMatch(status -> status.operations() == 1 && status.nodes() > 0 && !status.cutOff()));
        assertThat(nodes.stream().map(FleetNodesTest::status))
                .as("whoever answered had waited; the others may have got it by comparison")
                .anyMatch(status -> status.stableMillis() >= 12 * 20);
        nodes.remove(2).close();
        GeoRepNode again = start(3);
        assertThat(status(again).operations()).as("operations from the disk").isEqualTo(1);
        awaitComplete(again, 2);
        assertThat(get(map(again).get("k")).value()).isEqualTo("v");
        assertThat(status(again).repaired()).isZero();
    }

    /** It has no seeds, but its disk says whom it knew. */
    @Test
    void aFounderThatStartsAgainAloneFindsTheOthersAndFoundsNoSecondFleet() {
        for (int number = 1; number <= 3; number++) {
            start(number);
        }
        nodes.forEach(node -> awaitComplete(node, 2));
        get(map(nodes.get(1)).put("k", "old"));
        nodes.remove(0).close();
        get(map(nodes.get(0)).put("k", "new"));

        GeoRepNode founder = start(1);
        assertThat(get(map(founder).get("k")).value()).isEqualTo("new");
        awaitComplete(founder, 2);
        assertThat(get(map(founder).get("k", FleetOptions.ORDERED.quorum(3))).value())
                .isEqualTo("new");
        await().atMost(LONG).until(() -> status(founder).operations() == 2);

        nodes.forEach(GeoRepNode::halt);
        nodes.clear();
        GeoRepNode alone = start(1);
        assertThat(get(map(alone).get("k", FleetOptions.ORDERED.within(Duration.ofSeconds(1))))
                        .isSure())
                .as("nobody is there who could have changed it")
                .isFalse();
        assertThat(status(alone))
                .matches(status -> !status.complete() && status.known() == 0 && status.operations() == 2);
    }

    @Test
    void whoWatchesAPrefixIsToldWhatItsKeysHaveAlready() throws InterruptedException {
        for (int number = 1; number <= 2; number++) {
            start(number);
        }
        nodes.forEach(node -> awaitComplete(node, 1));
        FleetResult<String> one = get(map(nodes.get(0)).put("card/1", "a"));
        get(map(nodes.get(0)).put("card/2", "b"));
        get(map(nodes.get(0)).put("price/1", "c"));
        FleetResult<String> removed = get(map(nodes.get(0)).remove("card/2"));
        BlockingQueue<Object> told = new LinkedBlockingQueue<>();
        map(nodes.get(1)).watchPrefix("card/", new FleetListener<>() {
            @Override
            public void changed(FleetChange<String, String> change) {
                if (change.key().equals("card/1") || change.version().compareTo(removed.place()) > 0) {
                    told.add(change);
                }
            }

            @Override
            public void listed(boolean all) {
                told.add(all);
            }
        });

        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(new FleetChange<>("card/1", "a", one.place(), false));
        Object listed = told.poll(60, TimeUnit.SECONDS);
        assertThat(listed.equals(false) ? told.poll(60, TimeUnit.SECONDS) : listed)
                .isEqualTo(true);
        FleetResult<String> other = get(map(nodes.get(0)).put("card/3", "d"));
        assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(new FleetChange<>("card/3", "d", other.place(), false));
    }

    /** The others would refuse it, and nobody would know what has become of it. */
    @Test
    void aNodeThatMakesMoreThanOthersTakeIsToldSoAtOnce() {
        GeoRepNode node = start(1);
        awaitComplete(node, 0);
        List<CompletionStage<FleetResult<String>>> puts = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            puts.add(map(node).put("k" + i, "v"));
        }

        assertThatThrownBy(() -> get(puts.get(599)))
                .hasCauseInstanceOf(FleetUnavailableException.class)
                .hasMessageContaining("as others take (512")
                .hasMessageContaining("call more slowly");
        assertThat(get(puts.get(0)).isApplied()).isTrue();
        assertThat(get(map(node).get("k0", FleetOptions.ANY)).value()).isEqualTo("v");
    }

    @Test
    void allAreToldWhatOneWritesAndAClientAsksAnyNode() throws InterruptedException {
        for (int number = 1; number <= 2; number++) {
            start(number);
        }
        GeoRepNode client = GeoRepNode.fleetNode(FleetMapSettings.client("local:2099", "local:2001", "local:2002"))
                .listen("local", 2009)
                .transport(network.transports())
                .start();
        nodes.add(client);
        assertThatThrownBy(() -> client.outbox("q", String.class))
                .as("a node of a fleet has nothing else")
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("runs no protocol with the API");
        assertThat(client.identity().channels().version(OutboxProtocol.CHANNEL)).isZero();
        nodes.subList(0, 2).forEach(node -> awaitComplete(node, 1));
        BlockingQueue<FleetChange<String, String>> told = new LinkedBlockingQueue<>();
        BlockingQueue<FleetChange<String, String>> toldClient = new LinkedBlockingQueue<>();
        map(nodes.get(0)).watchPrefix("card/", told::add);

        FleetResult<String> claimed = get(map(client).putIfAbsent("card/7", "till 1"));
        FleetResult<String> second = get(map(nodes.get(1)).putIfAbsent("card/7", "till 2"));
        map(client).watch("card/7", toldClient::add);

        assertThat(claimed.isApplied()).isTrue();
        assertThat(second.status()).isEqualTo(FleetResult.Status.NOT_APPLIED);
        assertThat(second.value()).isEqualTo("till 1");
        assertThat(second.place()).isGreaterThan(claimed.place());
        for (BlockingQueue<FleetChange<String, String>> each : List.of(told, toldClient)) {
            assertThat(each.poll(60, TimeUnit.SECONDS))
                    .isEqualTo(new FleetChange<>("card/7", "till 1", claimed.place(), false));
        }
        FleetOptions any = FleetOptions.ANY.in(new FleetSession());
        assertThat(get(map(client).remove("card/7", any)).value()).isEqualTo("till 1");
        assertThat(get(map(client).get("card/7", any)).value()).isNull();
        assertThat(status(client).known())
                .as("nobody is at one of three addresses")
                .isBetween(2, 3);
    }
}
