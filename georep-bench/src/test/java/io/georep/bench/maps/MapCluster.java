package io.georep.bench.maps;

import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.DirectoryTree;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The processes, and the networks between them. Used by one thread, except as noted. */
final class MapCluster implements AutoCloseable {
    static final int NODES = 5;
    private static final Duration STOP_WITHIN = Duration.ofSeconds(60);
    private static final int LOG_LINES = 60;
    private static final List<String> JVM_OPTIONS = List.of(
            "-XX:+UseSerialGC", // They start often and share the machine.
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-Xmx192m",
            "-Dorg.slf4j.simpleLogger.showDateTime=true");

    private final Workspace workspace;
    private final SlowNetwork network;
    private final Map<String, ChildJvm> children = new ConcurrentHashMap<>();
    private final Class<?> main;
    private final IntFunction<List<String>> more;

    /** The names by now. */
    private final List<String> present = new ArrayList<>(names(NODES));

    /** Where in the network they are. */
    private final int[] places = IntStream.range(0, NODES).toArray();

    /**
     * Starts nothing yet.
     *
     * @param main has {@link NodeOptions}
     * @param more further arguments of a node, for each start of it
     */
    MapCluster(Workspace workspace, long seed, Class<?> main, IntFunction<List<String>> more) throws IOException {
        this.workspace = workspace;
        this.main = main;
        this.more = more;
        network = new SlowNetwork(names(NODES + 1), Duration.ofMillis(1), seed);
    }

    static String name(int node) {
        return "node-" + node;
    }

    static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(MapCluster::name).toList();
    }

    String present(int node) {
        return present.get(node);
    }

    /** Another node is to start in the place of one that was killed, with an empty directory and another address. Once only. */
    void replace(int node, String name) {
        present.set(node, name);
        places[node] = NODES;
    }

    void start(int node) throws IOException {
        List<String> seeds = new ArrayList<>();
        for (int other = 0; other < NODES; other++) {
            if (other != node) {
                seeds.add(network.address(places[other]));
            }
        }
        List<String> arguments = new ArrayList<>(List.of(
                "--name", present(node),
                "--data", data(node).toString(),
                "--port", Integer.toString(network.port(places[node])),
                "--advertise", network.address(places[node]),
                "--seeds", String.join(",", seeds),
                "--stop", stop().toString()));
        arguments.addAll(more.apply(node));
        children.put(present(node), workspace.start(present(node), main, JVM_OPTIONS, arguments));
    }

    private Path data(int node) {
        return workspace.directory().resolve(present(node));
    }

    /** The processes that run, by name. Any thread may ask. */
    Map<String, ChildJvm> children() {
        return children;
    }

    private Path stop() {
        return workspace.directory().resolve("stop");
    }

    private ChildJvm child(int node) {
        ChildJvm child = children.get(present(node));
        if (child == null || !child.alive()) {
            throw new AssertionError(present(node) + " ended although nobody asked it to: "
                    + (child == null ? "" : String.join(System.lineSeparator(), child.logTail(LOG_LINES))));
        }
        return child;
    }

    /** Throws if a process ended that was not killed. */
    void check() {
        for (int node = 0; node < NODES; node++) {
            child(node);
        }
    }

    void kill(int node) {
        child(node).kill();
        children.remove(present(node));
    }

    /** Removes what a killed node had stored. */
    void empty(int node) throws IOException {
        DirectoryTree.delete(data(node));
    }

    void freeze(int node) throws IOException {
        child(node).freeze();
    }

    void thaw(int node) throws IOException {
        child(node).thaw();
    }

    /** Holds up what one node says to another one. */
    void block(int from, int to) {
        network.block(places[from], places[to]);
    }

    void breakLinks(int one, int other) {
        network.breakLinks(places[one], places[other]);
    }

    void heal() {
        network.heal();
    }

    /** Ends all processes in order. */
    void stopAll() throws IOException {
        List<ChildJvm> running = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            running.add(child(node));
        }
        Files.createFile(stop());
        for (ChildJvm child : running) {
            if (!child.awaitExit(STOP_WITHIN)) {
                throw new AssertionError(child + " did not close within " + STOP_WITHIN.toSeconds() + " s: "
                        + String.join(System.lineSeparator(), child.logTail(LOG_LINES)));
            }
        }
    }

    /** Copies logs, and other files of processes that end so, for somebody to look at. */
    void keep(Path directory, String ending) throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.list(workspace.directory())) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".log") || name.endsWith(ending)) {
                    Files.copy(file, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        System.out.println("Histories and logs: " + directory.toAbsolutePath());
    }

    @Override
    public void close() throws IOException {
        network.close();
    }
}
