package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.StoreException;
import io.georep.model.TransportException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.testing.LocalNetwork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class NodeBuilderTest {

    @TempDir
    Path directory;

    @Test
    void saysEverythingThatIsWrongAtOnce() {
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId("")
                .cluster("a b")
                .listen(70_000)
                .seeds("nyc-1:7400", "nyc-1:7400", "nowhere")
                .expectedAway(Duration.ofSeconds(-1));

        assertThatThrownBy(builder::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("7 settings are not valid")
                .hasMessageContaining("nodeId ''")
                .hasMessageContaining("cluster 'a b'")
                .hasMessageContaining("listen port is 70000, allowed are 0 (any free) to 65535")
                .hasMessageContaining("seed 'nyc-1:7400' is given twice: remove one")
                .hasMessageContaining("seed 'nowhere' is not host:port")
                .hasMessageContaining("dataDir is missing although durability is FSYNC")
                .hasMessageContaining("expectedAway is PT-1S");
    }

    /** They are counted in nanoseconds: beyond 292 years that would go wrong in the middle of something. */
    @Test
    void timesWithoutEndAreRefusedByName() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        assertThatThrownBy(() -> ProtocolConfig.builder()
                        .suspectAfter(forever)
                        .terminateAfter(forever)
                        .tombstoneLife(Duration.ofDays(36_500))
                        .minRtt(forever)
                        .reReplicateAfter(forever)
                        .storeStallAfter(forever)
                        .storeFailAfter(forever)
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("7 settings are not valid")
                .hasMessageContaining("storeFailAfter is " + forever + ", allowed are at most PT87600H");
        assertThatThrownBy(() ->
                        memory("a").closeTimeout(forever).startTimeout(forever).start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("closeTimeout is " + forever)
                .hasMessageContaining("startTimeout is " + forever);
    }

    /** So that a customizer can overrule what a framework has set. */
    @Test
    void theLastSettingsOfKeySpacesCount() throws Exception {
        try (GeoRepNode node = memory("a")
                .keySpaces(KeySpaceSettings.defaults().bounds(1, 1000))
                .keySpaces(KeySpaceSettings.defaults().bounds(2, 1000))
                .start()) {
            KeySpace space = node.service(KeySpaces.class).local("offsets");

            space.put("one", new byte[1]).toCompletableFuture().get(30, TimeUnit.SECONDS);
            space.put("two", new byte[1]).toCompletableFuture().get(30, TimeUnit.SECONDS);

            assertThatThrownBy(() -> space.put("three", new byte[1])
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RejectedException.class);
        }
    }

    @Test
    void aNameIsAllItNeedsToAskFor() {
        assertThatThrownBy(
                        () -> GeoRepNode.builder().durability(Durability.MEMORY).start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("nodeId is missing");
    }

    @Test
    void seedsWithoutListeningAreRefused() {
        assertThatThrownBy(() -> memory("a").seeds("b:1").start())
                .hasMessageContaining("seeds [b:1], but no port to listen on")
                .hasMessageContaining("set listen(port)");
        assertThatThrownBy(() -> memory("a").advertise("b:1").start()).hasMessageContaining("advertise 'b:1'");
        assertThatThrownBy(() -> memory("a").listen(1).advertise("b").start())
                .hasMessageContaining("advertise 'b' is not host:port");
    }

    @Test
    void aMissingTransportIsNamedWithItsRemedy() {
        assertThatThrownBy(() -> memory("a").listen(0).start())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("add io.georep:georep-netty");
    }

    @Test
    void aLoneNodeRefusesCopiesItCouldNeverMake() {
        try (GeoRepNode node = memory("a").start()) {
            assertThatThrownBy(() -> node.outbox("q", String.class))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("wants f = 1")
                    .hasMessageContaining("or f(0)");
            Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(0));
            assertThatThrownBy(() -> outbox.send("x", SendOptions.defaults().f(2)))
                    .hasMessageContaining("wants f = 2");
            node.close(Duration.ZERO);
        }
    }

    @Test
    void copiesMaxLowersTheFOfEveryQueueAndSend() throws Exception {
        try (GeoRepNode node =
                memory("a").copiesMax(0).expectedAway(Duration.ZERO).start()) {
            Outbox<String> outbox = node.outbox("q", String.class, options -> options.f(2));

            assertThat(outbox.sendAndWait("x", Duration.ofSeconds(10))).isNotNull();
            assertThat(outbox.send("x", SendOptions.defaults().f(1))
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS))
                    .isNotNull();
            assertThat(node.replication("own")
                            .replicate(new byte[1], 1)
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS))
                    .isNotNull();
        }
        assertThatThrownBy(() -> memory("a").copiesMax(-1).start()).hasMessageContaining("copiesMax is -1");
    }

    @Test
    void queuesAreCheckedWhenOpened() {
        try (GeoRepNode node = memory("a").expectedAway(Duration.ZERO).start()) {
            node.outbox("q", String.class, options -> options.f(0));

            assertThatThrownBy(() -> node.outbox("q", String.class, options -> options.f(0)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("open on this node already");
            assertThatThrownBy(() -> node.outbox(" ", String.class, options -> options.f(0)))
                    .hasMessageContaining("queue name ' '");
            assertThatThrownBy(() -> node.outbox("x".repeat(256), String.class, options -> options.f(0)))
                    .hasMessageContaining("256 bytes, allowed are 1 to 255");
            assertThatThrownBy(() -> node.outbox("other", Thread.class, options -> options.f(0)))
                    .hasMessageContaining("no codec for java.lang.Thread");
            assertThatThrownBy(() -> node.outbox("other", String.class, options -> options.f(16)))
                    .hasMessageContaining("f is 16, allowed are 0 to 15");
        }
    }

    @Test
    void anAddressInUseIsRefusedAndTheStoreReleased() {
        LocalNetwork network = new LocalNetwork();
        GeoRepNode first =
                memory("a").listen("local", 7).transport(network.transports()).start();

        assertThatThrownBy(() -> GeoRepNode.builder()
                        .nodeId("b")
                        .dataDir(directory.resolve("b"))
                        .listen("local", 7)
                        .transport(network.transports())
                        .start())
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("local:7 is in use");
        try (GeoRepNode second = GeoRepNode.builder()
                .nodeId("b")
                .dataDir(directory.resolve("b"))
                .listen("local", 8)
                .transport(network.transports())
                .expectedAway(Duration.ZERO)
                .start()) {
            assertThat(second.state()).isEqualTo(NodeState.RUNNING);
        }
        first.halt();
    }

    @Test
    void anUnwritableDirectoryIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "not a directory");

        assertThatThrownBy(() -> GeoRepNode.builder().nodeId("a").dataDir(file).start())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void aDirectoryOfAnotherNodeIsRefused() {
        GeoRepNode.builder()
                .nodeId("a")
                .dataDir(directory)
                .expectedAway(Duration.ZERO)
                .start()
                .close();

        assertThatThrownBy(() ->
                        GeoRepNode.builder().nodeId("b").dataDir(directory).start())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.FOREIGN));
    }

    @Test
    void twoNodesCannotShareADirectory() {
        GeoRepNode first = GeoRepNode.builder().nodeId("a").dataDir(directory).start();

        assertThatThrownBy(() ->
                        GeoRepNode.builder().nodeId("a").dataDir(directory).start())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.LOCKED));
        first.halt();
    }

    @Test
    void protocolSettingsAreCheckedTogether() {
        assertThatThrownBy(() -> ProtocolConfig.builder()
                        .putTimeout(Duration.ofSeconds(6))
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("putTimeout");
    }

    private static NodeBuilder memory(String id) {
        return GeoRepNode.builder().nodeId(id).durability(Durability.MEMORY);
    }
}
