package io.georep.bench.demo;

import io.georep.bench.network.SlowNetwork;
import io.georep.bench.process.SmallDisk;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The node processes, their files and the network between them. Used by the demo's main thread. */
final class ProcessTestbed implements Testbed, AutoCloseable {
    private final DemoOptions options;
    private final DemoCluster cluster;
    private final NodeFiles files;
    private final @Nullable SlowNetwork network;
    private @Nullable Producers producers;
    private @Nullable Operator operator;

    ProcessTestbed(DemoOptions options, Workspace workspace) throws IOException {
        AccidentOptions accidents = options.accidents();
        boolean disks = accidents.wants(AccidentKind.FULL) && SmallDisk.available(workspace.directory());
        this.options = options;
        this.files = new NodeFiles(workspace, options.nodeNames(), disks);
        this.network =
                options.slowNetwork() ? new SlowNetwork(options.nodeNames(), options.delay(), accidents.seed()) : null;
        this.cluster = new DemoCluster(options, workspace, files, network);
    }

    DemoCluster cluster() {
        return cluster;
    }

    /** Says who the clients of the nodes are. */
    void clients(Producers all, Operator consumer) {
        producers = all;
        operator = consumer;
    }

    NodeFiles files() {
        return files;
    }

    /** Closes the network; the processes are the workspace's. */
    @Override
    public void close() {
        if (network != null) {
            network.close();
        }
    }

    @Override
    public int nodes() {
        return options.nodes();
    }

    @Override
    public String name(int node) {
        return process(node).child().toString();
    }

    @Override
    public String obstacle(AccidentKind kind) {
        if (kind == AccidentKind.FULL && !files.onSmallDisks()) {
            return "only root on Linux may mount a small disk";
        }
        if (kind.destroys() && options.f() == 0) {
            return "with f = 0 nobody has a copy of what is lost";
        }
        if (kind.ofNetwork() && options.nodes() == 1) {
            return "there is one node only";
        }
        return kind.ofNetwork() && network == null ? "the nodes are linked directly" : "";
    }

    @Override
    public void kill(int node) {
        process(node).kill();
    }

    @Override
    public void restart(int node) throws IOException {
        cluster.restart(process(node));
    }

    @Override
    public void freeze(int node) throws IOException {
        process(node).freeze();
    }

    @Override
    public void thaw(int node) throws IOException {
        process(node).thaw();
    }

    @Override
    public boolean hasImage(int node) {
        return files.hasImage(process(node));
    }

    @Override
    public void takeImage(int node) throws IOException {
        files.takeImage(process(node));
    }

    @Override
    public void putImageBack(int node) throws IOException {
        files.putImageBack(process(node));
    }

    @Override
    public void empty(int node) throws IOException {
        files.empty(process(node));
    }

    @Override
    public void fillDisk(int node, long leaveBytes) throws IOException {
        files.fill(process(node), leaveBytes);
    }

    @Override
    public void freeDisk(int node) throws IOException {
        files.free(process(node));
    }

    @Override
    public void block(int from, int to) {
        slowNetwork().block(from, to);
    }

    @Override
    public void delay(int from, int to, Duration added) {
        slowNetwork().delay(from, to, added);
    }

    @Override
    public void damage(int from, int to, int everyBytes) {
        slowNetwork().damage(from, to, everyBytes);
    }

    @Override
    public void slow(int from, int to, int bytesPerSecond) {
        slowNetwork().slow(from, to, bytesPerSecond);
    }

    @Override
    public void hangDisk(int node, boolean on) {
        process(node).send(new DemoMessage.Hang(on));
    }

    @Override
    public void stepClock(int node, Duration step) {
        process(node).stepClock(step);
    }

    @Override
    public void holdConsumer(boolean on) {
        Objects.requireNonNull(operator).hold(on);
    }

    @Override
    public void hurryProducers(int factor) {
        Objects.requireNonNull(producers).hurry(factor);
    }

    @Override
    public void heal() {
        slowNetwork().heal();
    }

    @Override
    public void breakLinks(int one, int other) {
        slowNetwork().breakLinks(one, other);
    }

    /** All see each other, and no holder knows of an entry that is short of copies, for some time without a break. */
    @Override
    public void settle() {
        Duration needed = options.accidents().settle();
        long deadline = System.nanoTime() + needed.plus(options.patience()).toNanos();
        do {
            cluster.await("all nodes to see each other and to have all copies again", cluster::whole);
            if (System.nanoTime() > deadline) {
                throw new DemoFailure("The nodes do not settle: there are not " + needed.toSeconds()
                        + " s in which they see each other and are short of no copies");
            }
        } while (cluster.holdsWithin(needed, () -> !cluster.whole()));
    }

    @Override
    public void awaitComplete() {
        cluster.await("all nodes to see each other", cluster::complete);
    }

    @Override
    public void pass(Duration time) {
        cluster.holdsWithin(time, () -> false);
    }

    private NodeProcess process(int node) {
        return cluster.nodes().get(node);
    }

    private SlowNetwork slowNetwork() {
        return Objects.requireNonNull(network);
    }
}
