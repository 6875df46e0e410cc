package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetStatistics;
import io.georep.flagons.FleetUnavailableException;
import io.georep.flagons.FleetWriters;
import io.georep.model.ConfigurationException;
import io.georep.model.IndeterminateException;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A fleet in which only those with a key change values. */
@Timeout(120)
class FleetWritersTest {
    private static final FleetOptions SOON = FleetOptions.ANY.within(Duration.ofSeconds(1));

    private final LocalNetwork network = new LocalNetwork();
    private final List<GeoRepNode> nodes = new ArrayList<>();
    private final KeyPair ours = keys("Ed25519");
    private final KeyPair theirs = keys("Ed25519");

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private static KeyPair keys(String algorithm) {
        try {
            return KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(KeyPair key) {
        return Base64.getEncoder().encodeToString(key.getPublic().getEncoded());
    }

    /** As {@code openssl} writes it. */
    private Path file(KeyPair key) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(key.getPrivate().getEncoded());
        return Files.writeString(
                directory.resolve("writer.pem"),
                "-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n");
    }

    private FleetMap<String, String> start(FleetMapSettings settings, FleetWriters writers) {
        GeoRepNode node = GeoRepNode.fleetNode(settings.nodes(10).writers(writers))
                .listen("local", 2001 + nodes.size())
                .transport(network.transports())
                .start();
        nodes.add(node);
        return node.service(FleetMaps.class).map("m", PayloadCodec.string(), PayloadCodec.string());
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private FleetStatistics statistics(int node) {
        return get(nodes.get(node).service(FleetMaps.class).readStatistics());
    }

    /** Two nodes, of which the second only reads, and clients that send changes to both. */
    @Test
    void aChangeWithoutASignatureOrWithOneOfSomebodyElseIsRefusedAndCounted() throws IOException {
        FleetWriters readOnly = FleetWriters.only(text(ours));
        FleetMap<String, String> writer = start(FleetMapSettings.founder(), readOnly.signingWith(file(ours)));
        FleetMap<String, String> reader = start(FleetMapSettings.member("local:2001"), readOnly);
        FleetMap<String, String> unsigned =
                start(FleetMapSettings.client("local:2001", "local:2002"), FleetWriters.ANYBODY);
        FleetWriters foreign = FleetWriters.only(text(ours), text(theirs)).signingWith(theirs.getPrivate());
        FleetMap<String, String> stranger = start(FleetMapSettings.client("local:2001", "local:2002"), foreign);
        FleetMap<String, String> client =
                start(FleetMapSettings.client("local:2001", "local:2002"), readOnly.signingWith(ours.getPrivate()));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> statistics(0).complete() && statistics(1).complete());

        assertThat(get(writer.put("k", "ours")).isApplied()).isTrue();
        assertThat(statistics(0).refused() + statistics(1).refused()).isZero();
        for (FleetMap<String, String> other : List.of(unsigned, stranger)) {
            long before = statistics(0).refused() + statistics(1).refused();
            assertThatThrownBy(() -> get(other.put("k", "theirs", SOON)))
                    .hasCauseInstanceOf(IndeterminateException.class);
            assertThatThrownBy(() -> get(other.remove("k", SOON))).hasCauseInstanceOf(IndeterminateException.class);
            assertThat(statistics(0).refused() + statistics(1).refused() - before)
                    .as("refused")
                    .isGreaterThanOrEqualTo(2);
        }
        assertThatThrownBy(() -> get(reader.put("k", "mine")))
                .hasCauseInstanceOf(FleetUnavailableException.class)
                .hasMessageContaining("has no key of a writer");
        assertThat(get(reader.get("k")).value()).isEqualTo("ours");
        assertThat(get(client.put("k", "of a client", SOON)).value()).isEqualTo("ours");
    }

    /** A node that joins takes what it has signed, and nothing new of it. */
    @Test
    void whatAKeyHasSignedStaysWhenAnotherOneTakesItsPlace() throws IOException {
        FleetWriters old = FleetWriters.only(text(ours)).signingWith(file(ours));
        FleetMap<String, String> writer = start(FleetMapSettings.founder(), old);
        await().atMost(Duration.ofSeconds(60)).until(() -> statistics(0).complete());
        assertThat(get(writer.put("k", "old")).isApplied()).isTrue();
        FleetWriters replaced = FleetWriters.only(text(theirs), text(ours) + " until " + Instant.now())
                .signingWith(theirs.getPrivate());
        start(FleetMapSettings.member("local:2001"), replaced);
        await().atMost(Duration.ofSeconds(60)).until(() -> statistics(1).complete());

        assertThat(statistics(1).operations()).isEqualTo(1);
        assertThat(statistics(1).refused()).isZero();
        assertThat(get(writer.put("k", "later", FleetOptions.ORDERED)).isApplied())
                .as("this node still takes it")
                .isTrue();
        await().atMost(Duration.ofSeconds(60)).until(() -> statistics(1).refused() > 0);
        assertThat(statistics(1).operations()).isEqualTo(1);
    }

    @Test
    void keysThatCannotBeRightAreToldAtOnce() throws IOException {
        Path other = file(theirs);
        assertThatThrownBy(() -> FleetWriters.only(text(ours)).signingWith(other))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("belongs to none of the 1 keys of writers");
        assertThatThrownBy(() -> FleetWriters.only("nonsense"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'nonsense' is no public key");
        assertThatThrownBy(() -> new FleetWriters(List.of(keys("RSA").getPublic()), Map.of(), null))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("for RSA, not for Ed25519");
        assertThatThrownBy(() -> new FleetWriters(List.of(), Map.of(), ours))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("not among those of the writers");
        assertThatThrownBy(() -> FleetWriters.only(text(ours) + " until 2026-12-01T00:00:00Z"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("all keys of writers are retired");
        assertThatThrownBy(() -> FleetWriters.only(text(ours), text(theirs) + " until tomorrow"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'tomorrow' is no time until which a key was used");
        String retired = text(ours) + " until 2026-12-01T00:00:00Z";
        assertThatThrownBy(() -> FleetWriters.only(text(ours), retired))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("in the list twice");
        assertThatThrownBy(() -> FleetWriters.only(text(theirs), retired, text(ours) + " until 2027-12-01T00:00:00Z"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("in the list twice");
        assertThatThrownBy(() -> FleetWriters.only(text(theirs), text(ours) + " until +1000000000-01-01T00:00:00Z"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("is no time until which a key was used");
        assertThatThrownBy(() -> FleetWriters.only(text(theirs), text(ours) + " until 2026-12-01T00:00:00Z")
                        .signingWith(ours.getPrivate()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("belongs to none of the 1 keys of writers");
        assertThatThrownBy(() -> FleetWriters.ANYBODY.signingWith(Files.writeString(other, "secret words")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageNotContaining("secret words");
        assertThat(FleetWriters.only(text(ours)).signingWith(ours.getPrivate()))
                .hasToString("FleetWriters[1 keys, signs]");
    }
}
