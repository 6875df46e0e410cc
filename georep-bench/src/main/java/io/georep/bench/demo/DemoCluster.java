package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The node processes: started, awaited, killed and stopped. Used by the demo's main thread. */
final class DemoCluster {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(15);
    private static final long LOOK_MILLIS = 20;
    private static final int LOG_LINES = 40;
    private static final List<String> JVM_OPTIONS = List.of(
            "-XX:+UseSerialGC", // They start often and share the machine.
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dorg.slf4j.simpleLogger.showDateTime=true");

    private final DemoOptions options;
    private final Workspace workspace;
    private final NodeFiles files;
    private final @Nullable SlowNetwork network;
    private final List<NodeProcess> nodes;
    private int controlPort;

    DemoCluster(DemoOptions options, Workspace workspace, NodeFiles files, @Nullable SlowNetwork network) {
        this.options = options;
        this.workspace = workspace;
        this.files = files;
        this.network = network;
        List<NodeProcess> all = new ArrayList<>();
        for (int i = 0; i < options.nodes(); i++) {
            all.add(new NodeProcess(i));
        }
        this.nodes = List.copyOf(all);
    }

    List<NodeProcess> nodes() {
        return nodes;
    }

    NodeProcess node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Starts all processes, the first one alone because the others need somebody to meet. */
    void start(int port) throws IOException {
        controlPort = port;
        launch(nodes.get(0));
        await("a call of " + nodes.get(0).name(), () -> nodes.get(0).hello() != null);
        for (NodeProcess node : nodes.subList(1, nodes.size())) {
            launch(node);
        }
        await("all nodes to see each other", this::complete);
    }

    /** Starts the process of a node again, on the same data directory, and waits for its call. */
    void restart(NodeProcess node) throws IOException {
        launch(node);
        await("a call of " + node.name(), () -> node.hello() != null);
    }

    /** The latest process of each node that was started. */
    Map<String, ChildJvm> children() {
        return nodes.stream()
                .filter(NodeProcess::hasChild)
                .collect(Collectors.toMap(NodeProcess::name, NodeProcess::child));
    }

    /** Returns whether every node can make copies and sees all others. */
    boolean complete() {
        return nodes.stream().allMatch(node -> {
            DemoMessage.Status status = node.status();
            return status != null && status.ready() && status.peersActive() == nodes.size() - 1;
        });
    }

    /** Whether, besides, no entry is short of copies as far as its holder knows. */
    boolean whole() {
        return complete()
                && nodes.stream()
                        .map(NodeProcess::status)
                        .allMatch(status -> status != null && status.shortOfCopies() == 0);
    }

    /**
     * Returns whether so many entries or more are held, each with its copies, as far as the nodes' latest news says.
     */
    boolean has(long entries, int f) {
        return Event.Holding.haveAll(holdings(), entries, f);
    }

    /** What each node has, as far as its latest news says; nothing for one that does not answer. */
    List<Event.Holding> holdings() {
        return nodes.stream()
                .map(node -> {
                    DemoMessage.Status status = node.status();
                    return status == null
                            ? new Event.Holding(node.name(), 0, 0, 0)
                            : new Event.Holding(node.name(), status.held(), status.copies(), status.deletesUntold());
                })
                .toList();
    }

    /** Returns whether no node holds an entry or a copy any more. */
    boolean drained() {
        return nodes.stream().allMatch(node -> {
            DemoMessage.Status status = node.status();
            return status != null && status.held() == 0 && status.copies() == 0 && status.deletesUntold() == 0;
        });
    }

    /** What nodes hold, in words. */
    String leftOver() {
        return nodes.stream()
                .map(node -> {
                    DemoMessage.Status status = node.status();
                    if (status == null) {
                        return node.name() + " does not answer";
                    }
                    return String.format(
                            Locale.ROOT,
                            "%s has %,d to forward, %,d copies, %,d ends untold",
                            node.name(),
                            status.held(),
                            status.copies(),
                            status.deletesUntold());
                })
                .collect(Collectors.joining("; "));
    }

    /** Asks all processes to close in order and waits a bounded time. */
    void stop() {
        nodes.forEach(node -> node.send(new DemoMessage.Stop()));
        long deadline = System.nanoTime() + STOP_WITHIN.toNanos();
        for (NodeProcess node : nodes) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            if (!node.child().awaitExit(left)) {
                throw new DemoFailure(node.child() + " did not close within " + STOP_WITHIN.toSeconds() + " s");
            }
        }
    }

    /** Waits, as long as the demo's patience, until something is the case. */
    void await(String what, BooleanSupplier condition) {
        if (!holdsWithin(options.patience(), condition)) {
            throw new DemoFailure("Waited " + options.patience().toSeconds() + " s in vain for " + what);
        }
    }

    /** Waits until something is the case or the time is over; returns whether it is. */
    boolean holdsWithin(Duration atMost, BooleanSupplier condition) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            checkAlive();
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DemoFailure("Interrupted");
            }
        }
        return true;
    }

    private void checkAlive() {
        for (NodeProcess node : nodes) {
            if (node.hasChild() && !node.child().alive() && !node.expectedDead()) {
                throw new DemoFailure(String.format(
                        Locale.ROOT,
                        "%s ended although nobody asked it to; the end of its log:%n  %s",
                        node.child(),
                        String.join(System.lineSeparator() + "  ", node.child().logTail(LOG_LINES))));
            }
        }
    }

    private void launch(NodeProcess node) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--name", node.name(),
                "--site", DemoOptions.site(node.index()),
                "--data", files.data(node).toString(),
                "--control", Integer.toString(controlPort),
                "--f", Integer.toString(options.f()),
                "--durability", options.durability().name(),
                "--suspect", Long.toString(options.suspectAfter().toMillis()),
                "--terminate", Long.toString(options.terminateAfter().toMillis()),
                "--tombstone", Long.toString(options.tombstoneLife().toSeconds()),
                "--clock-off", Long.toString(node.clockOffMillis()),
                "--small-disk", Boolean.toString(files.onSmallDisks()),
                "--small-memtable", Boolean.toString(!options.sampleEvery().isZero())));
        if (network != null) {
            arguments.addAll(List.of(
                    "--port", Integer.toString(network.port(node.index())),
                    "--advertise", network.address(node.index())));
        }
        String seeds = seedsFor(node);
        if (!seeds.isEmpty()) {
            arguments.addAll(List.of("--seeds", seeds));
        }
        List<String> jvmOptions = new ArrayList<>(JVM_OPTIONS);
        jvmOptions.add("-Xmx" + options.heapMiB() + "m");
        ChildJvm child = workspace.start(node.name(), DemoNode.class, jvmOptions, arguments);
        node.started(child);
    }

    /** Addresses of all others that are known already. */
    private String seedsFor(NodeProcess node) {
        return String.join(
                ",",
                nodes.stream()
                        .filter(other -> other != node && other.hello() != null)
                        .map(other -> Objects.requireNonNull(other.hello()).address())
                        .toList());
    }
}
