package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Nodes that ask the master as replicated maps do, without the maps: each on a thread of its own, several times per lease. */
final class Masters implements AutoCloseable {
    static final Duration LEASE = Duration.ofMillis(600);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Map<String, Node> nodes = new ConcurrentSkipListMap<>();
    private final Map<String, Integer> ports = new TreeMap<>();
    private final Path directory;
    private final List<NodeId> founders;
    private final long snapshotEvery;

    /** A node. */
    final class Node implements AutoCloseable {
        final NodeId id;
        final RatisViewMaster master;
        private final Thread thread;
        private final long incarnation;

        volatile boolean asks = true;
        volatile boolean learns;
        volatile long activeView;
        volatile long askedAt;
        volatile long grantedAsk = Long.MIN_VALUE;
        volatile long leaseNanos;
        volatile View view;
        volatile Throwable failure;
        volatile Set<NodeId> unreachable = Set.of();
        private volatile boolean closed;

        Node(String name, long incarnation, long activeView, RatisViewMaster master) {
            this.id = NodeId.of(name);
            this.incarnation = incarnation;
            this.activeView = activeView;
            this.master = master;
            this.thread = new Thread(this::run, "asks-" + name);
            thread.start();
        }

        private void run() {
            while (!closed) {
                try {
                    if (asks) {
                        ask();
                    }
                    TimeUnit.MILLISECONDS.sleep(LEASE.toMillis() / 10);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void ask() throws InterruptedException {
            View known = view;
            long ready = learns && known != null && known.rank(id) < 0 ? known.number() : 0;
            List<NodeId> lost = List.copyOf(unreachable);
            long now = System.nanoTime();
            askedAt = now;
            try {
                Grant grant = master.renew(new Renewal(id, incarnation, activeView, ready, lost))
                        .toCompletableFuture()
                        .get(3 * LEASE.toMillis(), TimeUnit.MILLISECONDS);
                failure = null;
                view = grant.view();
                leaseNanos = grant.lease().toNanos();
                if (leaseNanos > 0) {
                    grantedAsk = now;
                    activeView = Objects.requireNonNull(view).number();
                }
            } catch (ExecutionException e) {
                failure = e.getCause();
            } catch (TimeoutException e) {
                failure = e;
            }
        }

        /** Whether it has a lease in a later view than the first. */
        boolean isServed() {
            View known = view;
            return failure == null && known != null && known.number() > 1 && leaseNanos > 0;
        }

        boolean serves(long number, String... members) {
            View known = view;
            return failure == null
                    && known != null
                    && known.number() == number
                    && leaseNanos > 0
                    && known.members()
                            .equals(List.of(members).stream().map(NodeId::of).toList());
        }

        @Override
        public void close() {
            closed = true;
            thread.interrupt();
            try {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            master.close();
            nodes.remove(id.value(), this);
        }
    }

    Masters(Path directory, String... founders) throws IOException {
        this(directory, RatisPlace.SNAPSHOT_EVERY, founders);
    }

    Masters(Path directory, long snapshotEvery, String... founders) throws IOException {
        this.directory = directory;
        this.snapshotEvery = snapshotEvery;
        this.founders = List.of(founders).stream().map(NodeId::of).toList();
        int port = FreePort.findRange(6);
        for (String peer : List.of("a", "b", "c")) {
            ports.put(peer, port);
            port += 2; // A master may want the next one.
        }
    }

    RatisSettings settings() {
        return RatisSettings.of(ports.entrySet().stream()
                        .map(each -> each.getKey() + "=127.0.0.1:" + each.getValue())
                        .toArray(String[]::new))
                .portOffset(0)
                .founders(founders);
    }

    static ViewMaster.Place place(String name, Path directory) {
        FunnelSettings maps = FunnelSettings.defaults().lease(LEASE, 0.01);
        return new ViewMaster.Place(NodeId.of(name), maps, "127.0.0.1", 0, directory);
    }

    int port(String peer) {
        return ports.get(peer);
    }

    Node start(String name, long incarnation, long activeView) {
        return start(name, incarnation, activeView, settings());
    }

    Node start(String name, long incarnation, long activeView, RatisSettings settings) {
        RatisViewMaster master = (RatisViewMaster)
                RatisViewMaster.over(settings, snapshotEvery).create(place(name, directory.resolve(name)));
        Node node = new Node(name, incarnation, activeView, master);
        nodes.put(name, node);
        return node;
    }

    Node start(String name) {
        return start(name, 1, 0);
    }

    List<Node> nodes() {
        return new ArrayList<>(nodes.values());
    }

    Node leader() {
        await("a leader", () -> nodes().stream().anyMatch(each -> each.master.isLeader()));
        return nodes().stream()
                .filter(each -> each.master.isLeader())
                .findFirst()
                .orElseThrow();
    }

    void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(() -> what + "; " + this).isLessThan(deadline);
            Thread.onSpinWait();
            try {
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Node each : nodes()) {
            text.append(each.id).append(": ").append(each.view).append(' ').append(each.leaseNanos);
            text.append(' ').append(each.failure).append("; ");
        }
        return text.toString();
    }

    @Override
    public void close() {
        close(nodes());
    }

    /** Closes nodes at the same time: each waits for the connections of the others. */
    static void close(List<Node> some) {
        List<CompletableFuture<Void>> closing = some.stream()
                .map(each -> CompletableFuture.runAsync(each::close, task -> new Thread(task).start()))
                .toList();
        closing.forEach(CompletableFuture::join);
    }
}
