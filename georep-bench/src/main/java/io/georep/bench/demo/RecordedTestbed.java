package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.history.Fault;
import io.georep.bench.history.History;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/** Tells a history what is done to nodes, and then does it. Used by one thread. */
final class RecordedTestbed implements Testbed {
    private final Testbed testbed;
    private final History history;
    private final IntToLongFunction processes;
    private final List<Event.Began> ways = new ArrayList<>();

    /**
     * Wraps a testbed.
     *
     * @param processes process id of a node
     */
    RecordedTestbed(Testbed testbed, History history, IntToLongFunction processes) {
        this.testbed = testbed;
        this.history = history;
        this.processes = processes;
    }

    private static String node(int index) {
        return DemoOptions.nodeName(index);
    }

    private void began(Fault fault, String node) {
        history.add(new Event.Began(history.now(), fault, node, ""));
    }

    private void over(Fault fault, String node) {
        history.add(new Event.Over(history.now(), fault, node, ""));
    }

    private void began(Fault fault, int from, int to) {
        Event.Began event = new Event.Began(history.now(), fault, node(from), node(to));
        history.add(event);
        ways.add(event);
    }

    @Override
    public int nodes() {
        return testbed.nodes();
    }

    @Override
    public String name(int node) {
        return testbed.name(node);
    }

    @Override
    public String obstacle(AccidentKind kind) {
        return testbed.obstacle(kind);
    }

    @Override
    public void kill(int node) {
        began(Fault.DOWN, node(node));
        history.add(new Event.Ended(history.now(), node(node), processes.applyAsLong(node)));
        testbed.kill(node);
    }

    @Override
    public void restart(int node) throws IOException {
        testbed.restart(node);
        over(Fault.DOWN, node(node));
    }

    @Override
    public void freeze(int node) throws IOException {
        began(Fault.FROZEN, node(node));
        testbed.freeze(node);
    }

    @Override
    public void thaw(int node) throws IOException {
        testbed.thaw(node);
        over(Fault.FROZEN, node(node));
    }

    @Override
    public boolean hasImage(int node) {
        return testbed.hasImage(node);
    }

    @Override
    public void takeImage(int node) throws IOException {
        testbed.takeImage(node);
    }

    @Override
    public void putImageBack(int node) throws IOException {
        storeLost(node);
        testbed.putImageBack(node);
    }

    @Override
    public void empty(int node) throws IOException {
        storeLost(node);
        testbed.empty(node);
    }

    private void storeLost(int node) {
        began(Fault.STORE_LOST, node(node));
        over(Fault.STORE_LOST, node(node));
    }

    @Override
    public void fillDisk(int node, long leaveBytes) throws IOException {
        began(Fault.DISK_FULL, node(node));
        testbed.fillDisk(node, leaveBytes);
    }

    @Override
    public void freeDisk(int node) throws IOException {
        testbed.freeDisk(node);
        over(Fault.DISK_FULL, node(node));
    }

    @Override
    public void hangDisk(int node, boolean on) {
        if (on) {
            began(Fault.DISK_HUNG, node(node));
        }
        testbed.hangDisk(node, on);
        if (!on) {
            over(Fault.DISK_HUNG, node(node));
        }
    }

    @Override
    public void stepClock(int node, Duration step) {
        began(Fault.CLOCK_STEPPED, node(node));
        testbed.stepClock(node, step);
        over(Fault.CLOCK_STEPPED, node(node));
    }

    @Override
    public void holdConsumer(boolean on) {
        if (on) {
            began(Fault.CONSUMER_HUNG, "");
        }
        testbed.holdConsumer(on);
        if (!on) {
            over(Fault.CONSUMER_HUNG, "");
        }
    }

    @Override
    public void hurryProducers(int factor) {
        if (factor > 1) {
            began(Fault.FLOODED, "");
        }
        testbed.hurryProducers(factor);
        if (factor <= 1) {
            over(Fault.FLOODED, "");
        }
    }

    @Override
    public void block(int from, int to) {
        began(Fault.BLOCKED, from, to);
        testbed.block(from, to);
    }

    @Override
    public void delay(int from, int to, Duration added) {
        began(Fault.DELAYED, from, to);
        testbed.delay(from, to, added);
    }

    @Override
    public void damage(int from, int to, int everyBytes) {
        began(Fault.DAMAGED, from, to);
        testbed.damage(from, to, everyBytes);
    }

    @Override
    public void slow(int from, int to, int bytesPerSecond) {
        began(Fault.SLOW, from, to);
        testbed.slow(from, to, bytesPerSecond);
    }

    @Override
    public void heal() {
        testbed.heal();
        long now = history.now();
        ways.forEach(way -> history.add(new Event.Over(now, way.fault(), way.node(), way.peer())));
        ways.clear();
    }

    @Override
    public void breakLinks(int one, int other) {
        long now = history.now();
        history.add(new Event.Began(now, Fault.BROKEN, node(one), node(other)));
        testbed.breakLinks(one, other);
        history.add(new Event.Over(history.now(), Fault.BROKEN, node(one), node(other)));
    }

    @Override
    public void settle() {
        testbed.settle();
    }

    @Override
    public void awaitComplete() {
        testbed.awaitComplete();
    }

    @Override
    public void pass(Duration time) {
        testbed.pass(time);
    }
}
