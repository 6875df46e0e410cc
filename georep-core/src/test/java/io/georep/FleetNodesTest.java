package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.flagons.core.Consistency;
import io.georep.flagons.core.FleetSettings;
import io.georep.flagons.core.FleetStatus;
import io.georep.flagons.core.Operation;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.flagons.local.Fleet;
import io.georep.flagons.local.FleetModule;
import io.georep.model.Durability;
import io.georep.model.Slice;
import io.georep.testing.LocalNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a fleet in one JVM, which are nobody's peers. */
@Timeout(120)
class FleetNodesTest {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Slice KEY = Slice.utf8("k");

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

    private static Outcome ask(GeoRepNode node, Operation.Kind kind, String value, OrderKey after) {
        return node.service(Fleet.class)
                .ask(
                        kind,
                        KEY,
                        value == null ? null : Slice.utf8(value),
                        Consistency.ORDERED,
                        after,
                        1,
                        Duration.ofSeconds(5))
                .toCompletableFuture()
                .join();
    }

    private static FleetStatus status(GeoRepNode node) {
        return node.service(Fleet.class).status().toCompletableFuture().join();
    }

    private static void awaitComplete(GeoRepNode node, int others) {
        await().atMost(LONG).untilAsserted(() -> {
            FleetStatus status = status(node);
            assertThat(status.isComplete()).as(status.toString()).isTrue();
            assertThat(status.members()).as(status.toString()).isGreaterThanOrEqualTo(others);
        });
    }

    @Test
    void whatOneNodePutsAnotherFindsAndANodeThatWasAwayGoesOnWithItsDisk() {
        for (int number = 1; number <= 3; number++) {
            start(number);
        }
        nodes.forEach(node -> awaitComplete(node, 2));

        Outcome put = ask(nodes.get(1), Operation.Kind.PUT, "v", OrderKey.FIRST);
        Outcome found = ask(nodes.get(2), Operation.Kind.GET, null, put.place());

        assertThat(put.status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(found.value()).isEqualTo(Slice.utf8("v"));
        assertThat(found.version()).isEqualTo(put.place());
        assertThat(nodes.get(0).peers()).as("peers").isEmpty();

        await().atMost(LONG).until(() -> status(nodes.get(2)).operations() == 1);
        long position = status(nodes.get(2)).self().position();
        nodes.remove(2).close();
        GeoRepNode again = start(3);
        assertThat(status(again).self().position()).isEqualTo(position);
        assertThat(status(again).operations()).as("operations from the disk").isEqualTo(1);
        awaitComplete(again, 2);
        assertThat(ask(again, Operation.Kind.GET, null, found.place()).value()).isEqualTo(Slice.utf8("v"));
        assertThat(status(again).repaired()).isZero();
    }
}
