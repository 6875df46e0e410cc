package io.georep.testing;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A cluster inside this JVM, for tests. Its nodes are named {@code n1 … nN}, and each is in a site of its own. Time-outs are
 * short: a crashed node is given up after two seconds. Stores are in memory. Thread-safe.
 *
 * <p>A copy may be on any other node, and the node that adopts it needs a handler. So open the queue and register a handler on
 * every node that may have a copy.
 *
 * <pre>{@code
 * try (LocalCluster cluster = LocalCluster.start(3)) {
 *     Outbox<String> outbox = cluster.node(1).outbox("mail", String.class);
 *     cluster.awaitReady(1);
 *     outbox.sendAndWait("hello", Duration.ofSeconds(5));
 *     cluster.crash(1); // n2 or n3 adopts
 * }
 * }</pre>
 */
public final class LocalCluster implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(30);

    private final LocalNetwork network = new LocalNetwork();
    private final Map<Integer, LocalStore> stores = new TreeMap<>();
    private final Map<Integer, GeoRepNode> nodes = new TreeMap<>();
    private final int size;
    private final UnaryOperator<NodeBuilder> customizer;

    private LocalCluster(int size, UnaryOperator<NodeBuilder> customizer) {
        this.size = size;
        this.customizer = customizer;
    }

    /** Starts this many nodes. Does not wait until they have met; see {@link #awaitReady}. */
    public static LocalCluster start(int size) {
        return start(size, builder -> builder);
    }

    /** Starts this many nodes. The customizer can change the settings of each before it starts. */
    public static LocalCluster start(int size, UnaryOperator<NodeBuilder> customizer) {
        LocalCluster cluster = new LocalCluster(size, customizer);
        for (int number = 1; number <= size; number++) {
            cluster.restart(number);
        }
        return cluster;
    }

    /**
     * Returns the settings that the nodes use: time-outs for tests. A silent peer gets no copies after 1.5 s and is given up
     * after another 0.5 s. With shorter times a busy machine would be mistaken for a dead node.
     */
    public static ProtocolConfig quick() {
        return ProtocolConfig.builder()
                .heartbeat(Duration.ofMillis(50))
                .heartbeatAway(Duration.ofMillis(100))
                .suspectAfter(Duration.ofMillis(1500))
                .terminateAfter(Duration.ofMillis(500))
                .putTimeout(Duration.ofMillis(1200))
                .tombstoneLife(Duration.ofMinutes(1))
                .build();
    }

    /** Returns the network between the nodes. */
    public LocalNetwork network() {
        return network;
    }

    /** Returns the name of a node. Nodes are numbered from 1. */
    public static NodeId id(int number) {
        return NodeId.of("n" + number);
    }

    /**
     * Returns a running node. Nodes are numbered from 1.
     *
     * @throws IllegalStateException if the node is not running
     */
    public synchronized GeoRepNode node(int number) {
        GeoRepNode node = nodes.get(number);
        if (node == null) {
            throw new IllegalStateException("n" + number + " is not running; there are n1 to n" + size);
        }
        return node;
    }

    /** Stops a node as a crash would. Its store keeps what was durable. */
    public synchronized void crash(int number) {
        GeoRepNode node = node(number);
        nodes.remove(number);
        network.isolate(id(number));
        Objects.requireNonNull(stores.get(number)).crashOnClose();
        node.halt();
    }

    /** Starts a node that was crashed or closed, with the store that it had, and repairs all links. */
    public synchronized GeoRepNode restart(int number) {
        if (nodes.containsKey(number)) {
            throw new IllegalStateException("n" + number + " is running: crash or close it first");
        }
        LocalStore before = stores.get(number);
        LocalStore store = before == null ? LocalStore.empty() : before.reopened();
        stores.put(number, store);
        List<String> seeds = new ArrayList<>();
        for (int other = 1; other <= size; other++) {
            if (other != number) {
                seeds.add("local:" + (1000 + other));
            }
        }
        network.heal();
        GeoRepNode node = customizer
                .apply(GeoRepNode.builder()
                        .nodeId("n" + number)
                        .site("site-" + number)
                        .listen("local", 1000 + number)
                        .seeds(seeds)
                        .durability(Durability.OS) // what the store took outlives a crash
                        .protocol(quick())
                        .transport(network.transports())
                        .store(settings -> store))
                .start();
        nodes.put(number, node);
        return node;
    }

    /** Closes a node in order; see {@link GeoRepNode#close(Duration)}. */
    public synchronized void close(int number, Duration expectedAway) {
        node(number).close(expectedAway);
        nodes.remove(number);
    }

    /**
     * Waits until every running node can make this many copies of an entry on other nodes.
     *
     * @throws IllegalStateException if some node cannot after 30 seconds
     */
    public void awaitReady(int f) {
        long deadline = System.nanoTime() + READY_WITHIN.toNanos();
        List<GeoRepNode> running;
        synchronized (this) {
            running = new ArrayList<>(nodes.values());
        }
        for (GeoRepNode node : running) {
            if (!node.awaitReady(f, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                throw new IllegalStateException(
                        node + " cannot make " + f + " copies after " + READY_WITHIN + "; it sees " + node.peers());
            }
        }
    }

    @Override
    public synchronized void close() {
        nodes.values().forEach(GeoRepNode::halt);
        nodes.clear();
    }
}
