package io.georep.bench.maps;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.history.Consumption;
import io.georep.bench.history.History;
import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.ConsumptionWatch;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Five processes with ordered maps, three of which vote, and clients of all of them. */
final class BankTrial implements AutoCloseable {
    static final int VOTERS = 3;
    static final int NOBODY = -1;
    private static final int CLIENTS = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final int[] ports = new int[MapCluster.NODES];
    private final History consumption = History.recording();
    private final BankHistory history = new BankHistory();
    private final ConcurrentMap<Thread, String> waiting = new ConcurrentHashMap<>();
    private final List<Thread> clients = new ArrayList<>();
    private final Workspace workspace = Workspace.create("georep-bank");
    private final MapCluster cluster;
    private final ConsumptionWatch watch;
    private volatile boolean stopped;

    BankTrial(long seed, Duration lease, int groups) throws IOException {
        for (int node = 0; node < MapCluster.NODES; node++) {
            ports[node] = SlowNetwork.freePort();
        }
        cluster = new MapCluster(workspace, seed, BankNode.class, node -> arguments(node, lease, groups));
        watch = new ConsumptionWatch(cluster::children, consumption);
    }

    private List<String> arguments(int node, Duration lease, int groups) {
        List<String> names = MapCluster.names(MapCluster.NODES);
        return List.of(
                "--calls", Integer.toString(ports[node]),
                "--voters", String.join(",", names.subList(0, VOTERS)),
                "--replicas", String.join(",", names.subList(VOTERS, names.size())),
                "--groups", Integer.toString(groups),
                "--lease-millis", Long.toString(lease.toMillis()));
    }

    MapCluster cluster() {
        return cluster;
    }

    /** Returns when all nodes move money, and clients have begun. */
    void begin() throws IOException, InterruptedException {
        watch.start();
        for (int node = 0; node < MapCluster.NODES; node++) {
            cluster.start(node);
        }
        awaitService(NOBODY);
        for (int number = 0; number < CLIENTS; number++) {
            client(new BankClient(new BankLines(ports), history, waiting, () -> stopped));
        }
    }

    /** Waits until each node but one moves money, and returns how long that takes the slowest of them. */
    Duration awaitService(int but) {
        long began = System.nanoTime();
        if (!isServed(but, PATIENCE)) {
            throw new AssertionError("some node does not move money within " + PATIENCE.toSeconds() + " s: " + waiting);
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Returns whether each node but one moves money within this time. The money is moved in any case. */
    boolean isServed(int but, Duration within) {
        List<CompletableFuture<Void>> probes = new ArrayList<>();
        for (int node = 0; node < MapCluster.NODES; node++) {
            int asked = node;
            if (node != but) {
                probes.add(CompletableFuture.runAsync(() -> probe(asked), this::client));
            }
        }
        try {
            CompletableFuture.allOf(probes.toArray(CompletableFuture[]::new))
                    .get(within.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void probe(int node) {
        try (BankLines lines = new BankLines(ports)) {
            new BankClient(lines, history, waiting, () -> stopped).transferAt(node);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until a node knows who leads the first group, and returns that one. */
    int leader(int asked) throws InterruptedException {
        try (BankLines lines = new BankLines(ports)) {
            while (true) {
                String[] answer = lines.ask(
                        asked, new BankCall(BankCall.Way.LEADER, "-", null, null, null), (int) PATIENCE.toMillis());
                int leader = MapCluster.names(MapCluster.NODES).indexOf(answer[answer.length - 1]);
                if (leader >= 0) {
                    return leader;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    /** A node that is killed and never comes back is replaced for good by another one, with an empty directory. */
    void replace(int node, int asked) throws IOException, InterruptedException {
        String lost = cluster.present(node);
        cluster.kill(node);
        cluster.replace(node, MapCluster.name(MapCluster.NODES)); // by that name the network knows it
        cluster.start(node);
        BankCall order = new BankCall(BankCall.Way.REPLACE_NODE, lost, cluster.present(node), null, null);
        try (BankLines lines = new BankLines(ports)) {
            long began = System.nanoTime();
            while (!List.of("ok", "true", "-").equals(List.of(lines.ask(asked, order, (int) PATIENCE.toMillis())))) {
                assertThat(System.nanoTime() - began).isLessThan(PATIENCE.toNanos());
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        Duration until = awaitService(NOBODY);
        System.out.println("Ordered maps: " + lost + " was replaced, and its heir moved money after " + until.toMillis()
                + " ms more");
    }

    /** Waits until a node has told somebody that a read cannot be answered. */
    void awaitRefusal(int node) throws InterruptedException {
        try (BankLines lines = new BankLines(ports)) {
            BankClient client = new BankClient(lines, history, waiting, () -> stopped);
            long began = System.nanoTime();
            while (!client.isRefused(node)) {
                assertThat(System.nanoTime() - began).isLessThan(PATIENCE.toNanos());
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private void client(Runnable task) {
        Thread thread = new Thread(task, "client");
        thread.setDaemon(true);
        clients.add(thread);
        thread.start();
    }

    /**
     * Cuts a node off from all others until they move money, and asks it for what they wrote. If it has led so far, it must not answer from
     * what it knows.
     */
    void isolate(int node) {
        for (int other = 0; other < MapCluster.NODES; other++) {
            if (other != node) {
                cluster.block(node, other);
                cluster.block(other, node);
            }
        }
        awaitService(node);
        try (BankLines lines = new BankLines(ports)) {
            new BankClient(lines, history, waiting, () -> stopped).read(node, BankCall.Way.PAGE, history.lastBank());
        }
        cluster.heal();
    }

    /** Kills a node, and returns for how long some other one does not move money. */
    Duration outage(int node) {
        cluster.kill(node);
        return awaitService(node);
    }

    /** Nothing more happens to the nodes. Ends clients and nodes, and judges. */
    void end() throws IOException, InterruptedException {
        Duration last = awaitService(NOBODY);
        stopped = true;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (Thread each : clients) {
            each.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        assertThat(waiting).as("writes that get no answer though all is well").isEmpty();
        try (BankLines lines = new BankLines(ports)) {
            BankClient auditor = new BankClient(lines, history, waiting, () -> true);
            int before = history.size();
            for (String bank : history.banks()) {
                for (int node = 0; node < MapCluster.NODES; node++) {
                    auditor.read(node, BankCall.Way.PAGE, bank);
                }
            }
            assertThat(history.size() - before).isEqualTo(history.banks().size() * MapCluster.NODES);
        }
        cluster.stopAll();
        System.out.println("Ordered maps: all nodes served " + last.toMillis() + " ms after all was well. " + history);
        assertThat(history.size()).isGreaterThan(50);
        history.judge();
        assertThat(Consumption.judge(consumption.events())).isEmpty();
    }

    void keep(Path directory) throws IOException {
        System.out.println(history);
        cluster.keep(directory, ".log");
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        clients.forEach(Thread::interrupt);
        watch.close();
        cluster.close();
        workspace.close();
    }
}
