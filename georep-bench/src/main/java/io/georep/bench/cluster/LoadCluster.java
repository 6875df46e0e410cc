package io.georep.bench.cluster;

import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.Sample;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Node processes for a measurement, each in a site of its own. */
final class LoadCluster implements AutoCloseable {
    /** A node reads through its data before it calls. */
    static final Duration START_WITHIN = Duration.ofMinutes(3);

    private static final long LOOK_MILLIS = 50;
    private static final int LOG_LINES = 30;

    /**
     * What all nodes have in common.
     *
     * @param f copies on other nodes
     * @param durability when an entry counts as stored
     * @param handler how entries are taken
     * @param jvmOptions options of the node's JVM
     * @param more further options of {@link LoadNode}, name and value in turn
     * @param network what is between the nodes; null if nothing is
     */
    record Settings(
            int f,
            Durability durability,
            LoadNode.Handler handler,
            List<String> jvmOptions,
            List<String> more,
            @Nullable SlowNetwork network) {
        Settings(int f, Durability durability, LoadNode.Handler handler, List<String> jvmOptions, List<String> more) {
            this(f, durability, handler, jvmOptions, more, null);
        }
    }

    private final Workspace workspace;
    private final Settings settings;
    private final ServerSocket server;
    private final List<RemoteNode> nodes = new ArrayList<>();

    LoadCluster(Workspace workspace, Settings settings) throws IOException {
        this.workspace = workspace;
        this.settings = settings;
        this.server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        server.setSoTimeout((int) LOOK_MILLIS);
    }

    /** Starts so many nodes and waits until they see each other. */
    void start(int count) throws IOException {
        SlowNetwork network = settings.network();
        for (int i = 0; i < count; i++) {
            nodes.add(launch(i, network == null ? "0" : Integer.toString(network.port(i))));
        }
        awaitComplete();
    }

    /** Starts a node again, on its data directory and at its address: elsewhere it would count as a second process. */
    void restart(int index) throws IOException {
        RemoteNode before = nodes.get(index);
        before.close();
        String port = before.address().substring(before.address().lastIndexOf(':') + 1);
        nodes.set(index, launch(index, port));
    }

    /** Waits until all nodes see each other and can make copies. */
    void awaitComplete() throws IOException {
        await("all nodes to see each other", START_WITHIN, () -> {
            for (RemoteNode node : nodes) {
                Sample status = node.status();
                if (status.get("ready") == 0 || status.get("active") < nodes.size() - 1) {
                    return false;
                }
            }
            return true;
        });
    }

    /** Returns whether no node holds an entry or a copy within this time. */
    boolean drains(Duration atMost) throws IOException {
        return holds(atMost, () -> {
            for (RemoteNode node : nodes) {
                Sample status = node.status();
                if (status.get("receiving") + status.get("held") + status.get("copies") + status.get("untold") > 0) {
                    return false;
                }
            }
            return true;
        });
    }

    List<RemoteNode> nodes() {
        return nodes;
    }

    /** Sums of the samples of all nodes. */
    Sample sample() throws IOException {
        Sample sum = nodes.get(0).sample();
        for (RemoteNode node : nodes.subList(1, nodes.size())) {
            sum = sum.plus(node.sample());
        }
        return sum;
    }

    /** Tells all nodes the same. */
    void tell(String command) throws IOException {
        for (RemoteNode node : nodes) {
            node.ask(command);
        }
    }

    /** Something that may become true. */
    interface Condition {
        boolean holds() throws IOException;
    }

    /** Looks until the condition holds; returns whether it did in time. */
    static boolean holds(Duration atMost, Condition condition) throws IOException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            pause(LOOK_MILLIS);
        }
        return true;
    }

    static void await(String what, Duration atMost, Condition condition) throws IOException {
        if (!holds(atMost, condition)) {
            throw new IOException("waited " + atMost.toSeconds() + " s in vain for " + what);
        }
    }

    static void pause(long millis) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    static String name(int index) {
        return "node-" + (index + 1);
    }

    private RemoteNode launch(int index, String port) throws IOException {
        String name = name(index);
        List<String> arguments = new ArrayList<>(List.of(
                "--name", name,
                "--site", "site-" + name,
                "--port", port,
                "--control", Integer.toString(server.getLocalPort()),
                "--f", Integer.toString(settings.f()),
                "--durability", settings.durability().name(),
                "--handler", settings.handler().name()));
        if (settings.durability() != Durability.MEMORY) {
            arguments.addAll(
                    List.of("--data", workspace.directory().resolve(name).toString()));
        }
        SlowNetwork network = settings.network();
        if (network != null) {
            arguments.addAll(List.of("--advertise", network.address(index)));
        }
        List<String> seeds = new ArrayList<>();
        for (RemoteNode node : nodes) {
            if (node.child().alive()) {
                seeds.add(node.address());
            }
        }
        if (!seeds.isEmpty()) {
            arguments.addAll(List.of("--seeds", String.join(",", seeds)));
        }
        arguments.addAll(settings.more());
        List<String> jvmOptions = new ArrayList<>(settings.jvmOptions());
        jvmOptions.replaceAll(option -> option.replace("%n", name));
        ChildJvm child = workspace.start(name, LoadNode.class, jvmOptions, arguments);
        Socket socket = awaitCall(server, child);
        socket.setTcpNoDelay(true);
        return new RemoteNode(child, socket);
    }

    /**
     * Waits until the process calls.
     *
     * @throws IOException when it ended first, or did not call in time; with the end of its log
     */
    static Socket awaitCall(ServerSocket server, ChildJvm child) throws IOException {
        long deadline = System.nanoTime() + START_WITHIN.toNanos();
        while (true) {
            boolean alive = child.alive();
            try {
                return server.accept();
            } catch (SocketTimeoutException e) {
                // Asked before the call is read, so that a process that called and ended at once counts as started.
                if (!alive || System.nanoTime() - deadline > 0) {
                    String what =
                            alive ? " did not start within " + START_WITHIN.toSeconds() + " s" : " ended at its start";
                    String log = String.join(System.lineSeparator() + "  ", child.logTail(LOG_LINES));
                    throw new IOException(
                            child + what + "; the end of its log:" + System.lineSeparator() + "  " + log, e);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        nodes.forEach(RemoteNode::close);
        for (RemoteNode node : nodes) {
            if (!node.child().awaitExit(Duration.ofSeconds(10))) {
                node.child().kill();
            }
        }
        server.close();
    }
}
