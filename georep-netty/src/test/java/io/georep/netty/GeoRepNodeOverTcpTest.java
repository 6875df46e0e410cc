package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.TransportException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
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
@Timeout(180)
class GeoRepNodeOverTcpTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** A cluster settles no earlier than T_s + T_x after its start. */
    private ProtocolConfig timing = ProtocolConfig.defaults();

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
                        .allMatch(node -> node.statistics()
                                        .of(OutboxActivity.class)
                                        .protocol()
                                        .copies()
                                == 0));
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

    /** The default name is everybody's: an address of another cluster among the seeds must not merge the two. */
    @Test
    void twoClustersOfOneNameStayTwoAlthoughANodeHasASeedOfTheOther() {
        timing = ProtocolConfig.builder()
                .suspectAfter(Duration.ofSeconds(3))
                .terminateAfter(Duration.ofSeconds(7))
                .putTimeout(Duration.ofSeconds(2))
                .build();
        Set<String> here = ConcurrentHashMap.newKeySet();
        Set<String> there = ConcurrentHashMap.newKeySet();
        GeoRepNode one = start(builder(1));
        GeoRepNode two = start(builder(2).seeds(one.identity().address()));
        GeoRepNode three = start(builder(3));
        GeoRepNode four = start(builder(4).seeds(three.identity().address()));
        Outbox<String> mail = one.outbox("mail", String.class, options -> options.f(1));
        Outbox<String> others = three.outbox("mail", String.class, options -> options.f(1));
        await().atMost(LONG)
                .until(() -> nodes.stream()
                        .allMatch(node -> node.ready(1) && node.cluster().settled()));
        mail.sendAndWait("here", LONG);
        others.sendAndWait("there", LONG);

        two.close(Duration.ofMinutes(1));
        nodes.remove(two);
        GeoRepNode wrong = start(
                builder(2).seeds(one.identity().address(), three.identity().address()));
        await().atMost(LONG).until(() -> sees(wrong, "n3") && sees(three, "n2"));

        mail.forward((Delivery<String> delivery) -> here.add(delivery.payload()));
        others.forward((Delivery<String> delivery) -> there.add(delivery.payload()));
        assertThat(names(wrong)).containsExactly("n1");
        assertThat(names(three)).containsExactly("n4");
        assertThat(names(one)).containsExactly("n2");
        assertThat(names(four)).containsExactly("n3");
        assertThat(wrong.cluster()).isEqualTo(one.cluster()).isNotEqualTo(three.cluster());
        await().atMost(LONG).until(() -> wrong.ready(1) && three.ready(1));
        others.sendAndWait("there too", LONG);
        await().atMost(LONG).until(() -> there.equals(Set.of("there", "there too")));
        await().atMost(LONG).until(() -> here.equals(Set.of("here")));

        three.joinClusterOf(NodeId.of("n2"));
        await().atMost(LONG)
                .until(() -> nodes.stream()
                        .allMatch(node -> node.cluster().equals(one.cluster())
                                && names(node).size() == 3));
    }

    private static boolean sees(GeoRepNode node, String foreign) {
        return node.peers().stream()
                .anyMatch(peer -> peer.foreign() && peer.id().equals(NodeId.of(foreign)));
    }

    private static List<String> names(GeoRepNode node) {
        return node.peers().stream()
                .filter(peer -> !peer.foreign())
                .map(peer -> peer.id().value())
                .toList();
    }

    private NodeBuilder builder(int number) {
        return GeoRepNode.builder()
                .nodeId("n" + number)
                .site("site-" + number)
                .listen("127.0.0.1", 0)
                .durability(Durability.OS)
                .protocol(timing)
                .dataDir(directory.resolve("n" + number));
    }

    private GeoRepNode start(NodeBuilder builder) {
        GeoRepNode node = builder.start();
        nodes.add(node);
        return node;
    }
}
