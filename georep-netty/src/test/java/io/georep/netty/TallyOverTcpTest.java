package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.NodeState;
import io.georep.model.Durability;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.tally.Tally;
import io.georep.tally.TallyModule;
import io.georep.tally.TallyStatistics;
import io.georep.testing.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A second protocol over TCP and RocksDB, beside an outbox that is never idle: some nodes lack it, others have an older
 * version, and a rolling restart brings it. No link breaks for it, and nothing acknowledged is lost.
 */
@Timeout(120)
class TallyOverTcpTest {
    private static final int CHANNEL = 77;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final UnaryOperator<NodeBuilder> NO_TALLY = builder -> builder;
    private static final UnaryOperator<NodeBuilder> OLD_TALLY = builder -> builder.add(new TallyModule(CHANNEL, 1));
    private static final UnaryOperator<NodeBuilder> TALLY = builder -> builder.add(new TallyModule(CHANNEL));

    @TempDir
    Path directory;

    private final Map<Integer, GeoRepNode> nodes = new TreeMap<>();
    private final Map<Integer, Outbox<String>> outboxes = new ConcurrentHashMap<>();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Set<String> forwarded = ConcurrentHashMap.newKeySet();
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean busy = true;

    @AfterEach
    void stop() {
        busy = false;
        nodes.values().forEach(GeoRepNode::halt);
    }

    /** Starts a node with this software, on the disk and at the address it had. */
    private GeoRepNode start(int number, UnaryOperator<NodeBuilder> software) {
        GeoRepNode before = nodes.get(number);
        GeoRepNode node = software.apply(GeoRepNode.builder()
                        .nodeId("n" + number)
                        .site("site-" + number)
                        .listen("127.0.0.1", before == null ? 0 : port(before))
                        .seeds(nodes.values().stream()
                                .filter(other -> other != before)
                                .map(other -> other.identity().address())
                                .toList())
                        .durability(Durability.OS)
                        .protocol(LocalCluster.quick())
                        .dataDir(directory.resolve("n" + number)))
                .start();
        nodes.put(number, node);
        Outbox<String> outbox = node.outbox("mail", String.class, options -> options.f(1));
        outbox.forward((Delivery<String> delivery) -> forwarded.add(delivery.payload()));
        outboxes.put(number, outbox);
        return node;
    }

    private static int port(GeoRepNode node) {
        String address = node.identity().address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private void awaitReady(int f) {
        await().atMost(LONG).until(() -> nodes.values().stream().allMatch(node -> node.ready(f)));
    }

    /** Keeps the outbox of this node busy: each answer brings the next send, also while the node is restarted. */
    private void send(int number) {
        if (!busy) {
            return;
        }
        String payload = number + "/" + sent.incrementAndGet();
        outboxes.get(number).send(payload).whenComplete((id, error) -> {
            if (error == null) {
                acknowledged.add(payload);
                send(number);
            } else {
                sendLater(number);
            }
        });
    }

    private void sendLater(int number) {
        CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(() -> send(number));
    }

    private void beginToSend() {
        for (int number : nodes.keySet()) {
            for (int producer = 0; producer < 8; producer++) {
                send(number);
            }
        }
    }

    private void awaitProgress() {
        int before = acknowledged.size();
        await().atMost(LONG).until(() -> acknowledged.size() >= before + 300);
    }

    /** The outbox comes to rest: everything that was acknowledged was forwarded, and no link was refused. */
    private void nothingIsLost() {
        busy = false;
        await().atMost(LONG).until(() -> forwarded.containsAll(acknowledged));
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(300);
        for (GeoRepNode node : nodes.values()) {
            assertThat(node.statistics().framesRefused())
                    .as("frames refused by %s", node)
                    .isZero();
            assertThat(node.state()).isEqualTo(NodeState.RUNNING);
        }
    }

    private long add(int number) throws Exception {
        return nodes.get(number)
                .service(Tally.class)
                .add()
                .toCompletableFuture()
                .get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    /** What a node tells in its statistics, which its service tells too. */
    private void awaitCounts(int number, Map<String, Long> counts) {
        GeoRepNode node = nodes.get(number);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(node.statistics().of(TallyStatistics.class))
                        .isEqualTo(new TallyStatistics(counts, 0)));
        assertThat(node.service(Tally.class).counts().toCompletableFuture().join())
                .isEqualTo(counts);
    }

    @Test
    void aNodeWithoutItIsSentNoneOfItAndWorksAsBefore() throws Exception {
        start(1, TALLY);
        start(2, TALLY);
        GeoRepNode without = start(3, NO_TALLY);
        awaitReady(2);
        beginToSend();
        for (int i = 0; i < 50; i++) {
            add(1 + i % 2);
        }
        awaitProgress();

        awaitCounts(1, Map.of("n1", 25L, "n2", 25L));
        awaitCounts(2, Map.of("n1", 25L, "n2", 25L));
        await().atMost(LONG).until(() -> nodes.get(1).statistics().messagesWithheld() > 0);
        assertThat(without.statistics().messagesIgnored()).isZero();
        assertThat(without.statistics().messagesWithheld()).isZero();
        awaitProgress();
        nothingIsLost();
    }

    @Test
    void aRollingRestartBringsItToABusyCluster() throws Exception {
        for (int number = 1; number <= 3; number++) {
            start(number, NO_TALLY);
        }
        awaitReady(2);
        beginToSend();
        awaitProgress();

        for (int number = 1; number <= 3; number++) {
            nodes.get(number).close(Duration.ofSeconds(20));
            start(number, TALLY);
            awaitReady(2);
            assertThat(add(number)).isEqualTo(1);
            awaitProgress();
        }

        for (int number = 1; number <= 3; number++) {
            awaitCounts(number, Map.of("n1", 1L, "n2", 1L, "n3", 1L));
        }
        nodes.get(1).close(Duration.ofSeconds(20));
        start(1, TALLY);
        assertThat(add(1)).as("its count is in its own store").isEqualTo(2);
        awaitCounts(3, Map.of("n1", 2L, "n2", 1L, "n3", 1L));
        awaitProgress();
        nothingIsLost();
    }

    @Test
    void aRollingUpgradeOfItGoesThroughWithBothVersionsAtOnce() throws Exception {
        for (int number = 1; number <= 3; number++) {
            start(number, OLD_TALLY);
        }
        awaitReady(2);
        beginToSend();
        add(1);
        add(2);

        nodes.get(1).close(Duration.ofSeconds(20));
        start(1, TALLY);
        awaitReady(2);
        add(1);
        for (int number = 1; number <= 3; number++) {
            awaitCounts(number, Map.of("n1", 2L, "n2", 1L));
        }
        await().atMost(LONG).until(() -> nodes.get(2).statistics().messagesIgnored() > 0);
        assertThat(nodes.get(1).statistics().messagesIgnored())
                .as("older nodes say nothing new")
                .isZero();
        assertThat(nodes.get(2).statistics().messagesWithheld())
                .as("all host it")
                .isZero();
        awaitProgress();
        nothingIsLost();
    }
}
