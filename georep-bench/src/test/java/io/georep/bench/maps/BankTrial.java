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
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Five processes with ordered maps, and clients of all of them. */
final class BankTrial implements AutoCloseable {
    /** The voters of each group. Without the first two of a group, the others have their first one and a majority. */
    static final List<List<Integer>> GROUPS = List.of(List.of(0, 1, 2), List.of(3, 2, 4), List.of(4, 1, 3));

    static final int NOBODY = -1;
    static final String NO_LEADER = "-";
    private static final int CLIENTS = 3;
    private static final int CLIENTS_MIN = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final int[] ports = new int[MapCluster.NODES];
    private final History consumption = History.recording();
    private final BankHistory history = new BankHistory();
    private final ConcurrentMap<Thread, String> waiting = new ConcurrentHashMap<>();
    private final List<Thread> clients = new ArrayList<>();
    private final Workspace workspace = Workspace.create("georep-bank");
    private final MapCluster cluster;
    private final ConsumptionWatch watch;
    private final int groups;
    private volatile boolean stopped;
    private volatile List<Integer> avoided = List.of();

    /** With as many of the {@link #GROUPS}. Nodes that vote in none of them are replicas. */
    BankTrial(long seed, Duration lease, int groups) throws IOException {
        this.groups = groups;
        for (int node = 0; node < MapCluster.NODES; node++) {
            ports[node] = SlowNetwork.freePort();
        }
        cluster = new MapCluster(workspace, seed, BankNode.class, node -> arguments(node, lease));
        watch = new ConsumptionWatch(cluster::children, consumption);
    }

    private List<String> arguments(int node, Duration lease) {
        List<String> arguments = new ArrayList<>(
                List.of("--calls", Integer.toString(ports[node]), "--lease-millis", Long.toString(lease.toMillis())));
        List<String> replicas = new ArrayList<>(MapCluster.names(MapCluster.NODES));
        for (List<Integer> group : GROUPS.subList(0, groups)) {
            List<String> voters = group.stream().map(MapCluster::name).toList();
            arguments.addAll(List.of("--group", String.join(",", voters)));
            replicas.removeAll(voters);
        }
        if (!replicas.isEmpty()) {
            arguments.addAll(List.of("--replicas", String.join(",", replicas)));
        }
        return arguments;
    }

    BankLines lines() {
        return new BankLines(ports);
    }

    BankHistory history() {
        return history;
    }

    /** Writes under way, by who waits for them. */
    ConcurrentMap<Thread, String> waiting() {
        return waiting;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Returns the node that the clients of a group ask mostly; none if there is one group only. */
    int home(int group) {
        return groups == 1 ? NOBODY : GROUPS.get(group).get(0);
    }

    boolean isAvoided(int node) {
        return avoided.contains(node);
    }

    /** From now on clients ask these nodes for nothing. */
    void avoid(List<Integer> nodes) {
        avoided = nodes;
    }

    /** Draws a node that is not avoided. */
    int draw(Random random) {
        int node = random.nextInt(MapCluster.NODES);
        while (isAvoided(node)) {
            node = random.nextInt(MapCluster.NODES);
        }
        return node;
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
        if (groups > 1) {
            for (int group = 0; group < groups; group++) {
                try (BankClient client = new BankClient(this, group)) {
                    client.separate();
                }
            }
        }
        for (int number = 0; number < Math.max(CLIENTS_MIN, CLIENTS * groups); number++) {
            client(new BankClient(this, number % groups));
        }
    }

    /** Waits until each node but one moves the money of each group, and returns how long that takes the slowest of them. */
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
            for (int group = 0; group < groups && node != but; group++) {
                int asked = node;
                int of = group;
                probes.add(CompletableFuture.runAsync(() -> probe(asked, of), this::client));
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

    private void probe(int node, int group) {
        try (BankClient client = new BankClient(this, group)) {
            client.transferAt(node);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String word(int asked, BankCall.Way way, String key) {
        try (BankLines lines = lines()) {
            String[] answer = lines.ask(asked, new BankCall(way, key, null, null, null), (int) PATIENCE.toMillis());
            return answer[0].equals("ok") ? answer[2] : "";
        }
    }

    /** Returns the name of the node that leads a group as a node knows it, {@link #NO_LEADER}, or nothing if the node does not answer. */
    String leader(int asked, int group) {
        return word(asked, BankCall.Way.LEADER, Integer.toString(group));
    }

    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - began).as(what).isLessThan(PATIENCE.toNanos());
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Waits until a node knows who leads the first group, and returns that one. */
    int leader(int asked) throws InterruptedException {
        List<String> names =
                IntStream.range(0, MapCluster.NODES).mapToObj(cluster::present).toList();
        await("a leader", () -> names.contains(leader(asked, 0)));
        return names.indexOf(leader(asked, 0));
    }

    /** Waits until a node answers that was started. */
    void awaitStart(int node) throws InterruptedException {
        await("the start of node " + node, () -> !leader(node, 0).isEmpty());
    }

    /** Waits until each group is led at its home, and it alone has what its clients use. */
    void awaitHomes() throws InterruptedException {
        for (int group = 0; group < groups; group++) {
            int of = group;
            int home = home(group);
            await(
                    "group " + group + " at home",
                    () -> leader(home, of).equals(cluster.present(home))
                            && Stream.of(BankClient.used(of))
                                    .allMatch(key ->
                                            word(home, BankCall.Way.GROUPS, key).equals("[" + of + "]")));
        }
    }

    /** A node that is killed and never comes back is replaced for good by another one, with an empty directory. */
    void replace(int node, int asked) throws IOException, InterruptedException {
        String lost = cluster.present(node);
        cluster.kill(node);
        cluster.replace(node, MapCluster.name(MapCluster.NODES)); // by that name the network knows it
        cluster.start(node);
        BankCall order = new BankCall(BankCall.Way.REPLACE_NODE, lost, cluster.present(node), null, null);
        try (BankLines lines = lines()) {
            await(
                    "the order to replace " + lost,
                    () -> List.of("ok", "true", "-")
                            .equals(List.of(lines.ask(asked, order, (int) PATIENCE.toMillis()))));
        }
        Duration until = awaitService(NOBODY);
        System.out.println("Ordered maps: " + lost + " was replaced, and its heir moved money after " + until.toMillis()
                + " ms more");
    }

    /** Waits until a node has told somebody that a key of the first group cannot be read. */
    void awaitRefusal(int node) throws InterruptedException {
        try (BankClient client = new BankClient(this, 0)) {
            await("a refusal", () -> client.ask(node, BankCall.Way.GET, BankClient.used(0)[0])[0].equals("none"));
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
        try (BankClient client = new BankClient(this, 0)) {
            client.read(node, BankCall.Way.PAGE, history.lastBank());
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
        try (BankClient auditor = new BankClient(this, 0)) {
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
