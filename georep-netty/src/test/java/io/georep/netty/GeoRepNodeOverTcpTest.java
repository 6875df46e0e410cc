package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.Delivery;
import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.Outbox;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.TransportException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole nodes: TCP between them, RocksDB below them, found on the class path. */
@Timeout(60)
class GeoRepNodeOverTcpTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private final List<GeoRepNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    @Test
    void threeNodesMeetThroughOneSeedCopyAndForward() {
        GeoRepNode first = start(builder(1));
        String seed = first.identity().address();
        GeoRepNode second = start(builder(2).seeds(seed));
        GeoRepNode third = start(builder(3).seeds(seed));
        Set<EntryId> forwarded = ConcurrentHashMap.newKeySet();
        List<Outbox<String>> outboxes = new ArrayList<>();
        for (GeoRepNode node : nodes) {
            Outbox<String> outbox = node.outbox("mail", String.class, options -> options.f(2));
            outbox.forward((Delivery<String> delivery) -> forwarded.add(delivery.id()));
            outboxes.add(outbox);
        }
        await().atMost(LONG).until(() -> first.ready(2) && second.ready(2) && third.ready(2));

        List<CompletableFuture<EntryId>> sends = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            sends.add(outboxes.get(i % 3).send("payload " + i).toCompletableFuture());
        }
        List<EntryId> ids = sends.stream().map(CompletableFuture::join).toList();

        await().atMost(LONG).until(() -> forwarded.size() == ids.size());
        assertThat(forwarded).containsExactlyInAnyOrderElementsOf(ids);
        await().atMost(LONG)
                .until(() -> nodes.stream()
                        .allMatch(node -> node.statistics().protocol().copies() == 0));
    }

    @Test
    void anOccupiedPortIsRefusedWithItsRemedy() {
        GeoRepNode first = start(builder(1));
        String address = first.identity().address();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));

        assertThatThrownBy(() -> builder(2).listen("127.0.0.1", port).start())
                .isInstanceOf(TransportException.class)
                .hasMessageContaining(String.valueOf(port));
    }

    @Test
    void aRestartedNodeForwardsWhatItHadAcknowledged() {
        GeoRepNode before = start(builder(1));
        EntryId id =
                before.outbox("mail", String.class, options -> options.f(0)).sendAndWait("hello", LONG);
        before.close(Duration.ofMinutes(1));
        Set<EntryId> forwarded = ConcurrentHashMap.newKeySet();

        GeoRepNode after = start(builder(1));
        after.outbox("mail", String.class, options -> options.f(0))
                .forward((Delivery<String> delivery) -> forwarded.add(delivery.id()));

        await().atMost(LONG).until(() -> forwarded.contains(id));
        assertThat(after.identity().incarnation()).isEqualTo(before.identity().incarnation() + 1);
    }

    private NodeBuilder builder(int number) {
        return GeoRepNode.builder()
                .nodeId("n" + number)
                .site("site-" + number)
                .listen("127.0.0.1", 0)
                .durability(Durability.OS)
                .dataDir(directory.resolve("n" + number));
    }

    private GeoRepNode start(NodeBuilder builder) {
        GeoRepNode node = builder.start();
        nodes.add(node);
        return node;
    }
}
