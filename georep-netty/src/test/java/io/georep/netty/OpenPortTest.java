package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.RecordingListener;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that strangers can reach does not start unless something keeps them out. */
@Timeout(60)
class OpenPortTest {
    private static final SharedSecret SECRET = SharedSecret.of(new byte[32]);

    @TempDir
    Path directory;

    private static NettyTransportConfig.Builder config(String bindAddress) {
        return NettyTransportConfig.builder().bindAddress(bindAddress);
    }

    private static String start(NettyTransportConfig config, String address) {
        NodeIdentity self = new NodeIdentity(NodeId.of("a"), 1, 1, 1, address, "");
        try (NettyTransport transport = new NettyTransport(config)) {
            return transport.start(self, new RecordingListener(new Object()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"})
    void beyondLoopbackNothingStartsUnprotected(String address) {
        assertThatThrownBy(() -> start(config(address).build(), "127.0.0.1:7400"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(address)
                .hasMessageContaining("set a shared secret or TLS");
        assertThatThrownBy(() -> start(config(null).build(), address)).isInstanceOf(ConfigurationException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "127.0.0.2:0", "localhost:0"})
    void onLoopbackNothingIsAskedFor(String address) {
        assertThat(start(config(address).build(), "127.0.0.1:7400")).isEqualTo("127.0.0.1:7400");
    }

    @Test
    void aSecretOrTheSwitchOpensThePort() {
        assertThat(start(config("0.0.0.0:0").secret(SECRET).build(), "127.0.0.1:1"))
                .isEqualTo("127.0.0.1:1");
        assertThat(start(config("0.0.0.0:0").openToAnyoneWhoReachesThePort(true).build(), "127.0.0.1:1"))
                .isEqualTo("127.0.0.1:1");
    }

    @Test
    void aNodeSaysSoWithAllItsOtherMistakesBeforeItTouchesItsDisk() {
        Path data = directory.resolve("data");
        NodeBuilder builder =
                GeoRepNode.builder().nodeId("a").cluster("a b").dataDir(data).listen(0);

        assertThatThrownBy(builder::start)
                .isInstanceOfSatisfying(
                        ConfigurationException.class,
                        e -> assertThat(e.faults()).hasSize(2))
                .hasMessageContaining("cluster 'a b'")
                .hasMessageContaining("0.0.0.0:0")
                .hasMessageContaining("shared secret");
        assertThat(Files.exists(data)).isFalse();
    }

    @Test
    void aNodeWithASecretListensEverywhere() {
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId("a")
                .durability(Durability.MEMORY)
                .transport(new NettyTransportFactory(links -> links.secret(SECRET)))
                .listen(0);

        try (GeoRepNode node = builder.start()) {
            assertThat(node.identity().address()).doesNotEndWith(":0");
        }
    }
}
