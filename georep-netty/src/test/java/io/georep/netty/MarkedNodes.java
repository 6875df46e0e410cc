package io.georep.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.NodeState;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes whose secrets, keys and contents hold marks. After each test neither the logs at level TRACE nor anything that was printed
 * may have shown one.
 */
@Timeout(180)
abstract class MarkedNodes {
    static final Duration LONG = Duration.ofSeconds(60);
    static final byte[] KEY = Arrays.copyOf(Marks.text("encryption key").getBytes(US_ASCII), 32);
    static final byte[] SECRET = Arrays.copyOf(Marks.text("secret").getBytes(US_ASCII), 32);

    @TempDir
    Path directory;

    private final List<GeoRepNode> nodes = new ArrayList<>();
    final Marks shown = new Marks();
    AllLogs logs;

    @BeforeEach
    void listen() {
        logs = new AllLogs();
    }

    @AfterEach
    void stopAndLookForMarks() {
        try {
            for (GeoRepNode node : nodes) {
                shown.look(node);
                shown.look(node.identity());
                if (node.state() == NodeState.RUNNING) {
                    shown.look(node.statistics());
                    shown.look(node.peers());
                }
                node.halt();
            }
        } finally {
            logs.close();
        }
        assertThat(logs.text()).as("so that the test could fail").contains("INFO io.georep.netty");
        shown.look(logs.text());
        assertThat(shown.found()).isEmpty();
    }

    /** Two nodes with secret, encryption and key spaces that have met. */
    final List<GeoRepNode> pair() {
        GeoRepNode first = start(protectedBuilder(1));
        GeoRepNode second = start(protectedBuilder(2).seeds(first.identity().address()));
        await().atMost(LONG).until(() -> first.ready(1) && second.ready(1));
        return List.of(first, second);
    }

    final NodeBuilder protectedBuilder(int number) {
        return builder(number)
                .transport(links(SECRET))
                .encryption(keys("2026-07", KEY))
                .keySpaces(KeySpaceSettings.defaults());
    }

    final NodeBuilder builder(int number) {
        return GeoRepNode.builder()
                .nodeId("n" + number)
                .site("site-" + number)
                .listen("127.0.0.1", 0)
                .durability(Durability.OS)
                .protocol(ProtocolConfig.builder()
                        .heartbeat(Duration.ofMillis(200))
                        .suspectAfter(Duration.ofMillis(2000))
                        .terminateAfter(Duration.ofMillis(500))
                        .putTimeout(Duration.ofMillis(1500))
                        .build())
                .dataDir(directory.resolve("n" + number));
    }

    final GeoRepNode start(NodeBuilder builder) {
        GeoRepNode node = builder.start();
        nodes.add(node);
        return node;
    }

    static NettyTransportFactory links(byte[] secret) {
        return new NettyTransportFactory(links -> links.secret(SharedSecret.of(secret)));
    }

    static EncryptionKeys keys(String id, byte[] bytes) {
        return EncryptionKeys.of(EncryptionKey.of(id, bytes));
    }

    static <T extends @Nullable Object> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
