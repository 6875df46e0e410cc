package io.georep.bench.demo;

import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.PeerChange;
import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.Starvation;
import io.georep.model.Durability;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.OutboxActivity;
import io.georep.spi.StoreFactory;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Three nodes in this JVM, each with a store on disk whose disk can hang, behind a network that can be slow. Notes whom they
 * suspect.
 */
final class OverloadedNodes implements AutoCloseable {
    private static final List<String> NAMES = List.of("node-1", "node-2", "node-3");
    private static final Duration LONG = Duration.ofSeconds(30);

    /** The node whose disk hangs, or who reads slowly. */
    private static final int SUFFERING = 1;

    private record Span(long from, long until) {}

    private record Suspicion(long nanos, String what) {}

    private final SlowNetwork network = new SlowNetwork(NAMES, Duration.ofMillis(1), 1);
    private final List<SwitchedStore> stores = new ArrayList<>();
    private final List<GeoRepNode> nodes = new ArrayList<>();
    private final List<Suspicion> suspicions = new CopyOnWriteArrayList<>();
    private final List<Span> starved = new CopyOnWriteArrayList<>();
    private final ProtocolConfig config;

    OverloadedNodes(Path directory, ProtocolConfig config, OverloadFlow flow) throws IOException {
        this.config = config;
        for (int i = 0; i < NAMES.size(); i++) {
            nodes.add(start(directory, i));
        }
        await().atMost(LONG).until(() -> nodes.stream().allMatch(node -> node.ready(2)));
        nodes.forEach(node -> node.onPeerChange(change -> note(node, change)));
        nodes.forEach(node -> flow.join(node.outbox("load", byte[].class, options -> options.f(1))));
        Starvation.watch("georep-", (from, until) -> starved.add(new Span(from, until)));
    }

    private GeoRepNode start(Path directory, int index) {
        return GeoRepNode.builder()
                .nodeId(NAMES.get(index))
                .cluster("georep-overload")
                .listen("127.0.0.1", network.port(index))
                .advertise(network.address(index))
                .seeds(index == 0 ? List.of() : List.of(network.address(0)))
                .dataDir(directory.resolve(NAMES.get(index)))
                .durability(Durability.FSYNC)
                .protocol(config)
                .store(this::open)
                .expectedAway(Duration.ZERO)
                .start();
    }

    private SwitchedStore open(StoreFactory.Settings settings) {
        SwitchedStore store = new SwitchedStore(RocksDbStore.open(
                Objects.requireNonNull(settings.directory()),
                RocksDbStoreConfig.builder(settings.node(), settings.cluster()).build()));
        stores.add(store);
        return store;
    }

    private void note(GeoRepNode node, PeerChange change) {
        if (change.after() == PeerState.SCHRODINGER || change.after() == PeerState.TERMINATED) {
            suspicions.add(new Suspicion(
                    System.nanoTime(), node.identity().id() + " takes " + change.peer() + " for " + change.after()));
        }
    }

    void hangDisk(boolean on) {
        stores.get(SUFFERING).hang(on);
    }

    /** One node reads only so much per second of what the others say. */
    void readSlowly(long bytesPerSecond) {
        for (int from = 0; from < NAMES.size(); from++) {
            if (from != SUFFERING) {
                network.slow(from, SUFFERING, bytesPerSecond);
            }
        }
    }

    void healNetwork() {
        network.heal();
    }

    /** Nodes that were suspected although they live and their threads got the processor in time. */
    List<String> falseSuspicions() {
        long margin = config.failoverAfter().toNanos();
        return suspicions.stream()
                .filter(it -> starved.stream()
                        .noneMatch(span -> span.from() - margin < it.nanos() && it.nanos() < span.until() + margin))
                .map(Suspicion::what)
                .toList();
    }

    /** Whether no node was suspected, for whatever reason; otherwise an entry may have been adopted. */
    boolean allTrustedEachOther() {
        return suspicions.isEmpty();
    }

    /** Entries and copies on all nodes, and deletions that somebody has not confirmed. */
    long kept() {
        return nodes.stream()
                .map(node -> node.statistics().of(OutboxActivity.class).protocol())
                .mapToLong(it -> it.receiving()
                        + it.held().values().stream().mapToLong(Long::longValue).sum()
                        + it.copies()
                        + it.deletesUntold())
                .sum();
    }

    @Override
    public void close() {
        nodes.forEach(GeoRepNode::halt);
        network.close();
    }
}
