package io.georep.bench.demo;

import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.Link;
import io.georep.bench.process.Sample;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A node process as its clients and the person at the terminal see it; it outlives the process. Thread-safe. */
final class NodeProcess implements Producers.Service {
    private final int index;
    private final String name;
    private final Map<String, String> peers = new TreeMap<>();
    private boolean killed;
    private long clockOffMillis;
    private volatile boolean frozen;
    private @Nullable ChildJvm child;
    private @Nullable Link link;
    private DemoMessage.@Nullable Hello hello;
    private DemoMessage.@Nullable Status status;
    private @Nullable Sample used;

    NodeProcess(int index) {
        this.index = index;
        this.name = DemoOptions.nodeName(index);
    }

    /** Number, counted from 0. */
    int index() {
        return index;
    }

    String name() {
        return name;
    }

    /** A process for this node was started. */
    synchronized void started(ChildJvm process) {
        child = process;
        killed = false;
        link = null;
        hello = null;
        status = null;
        used = null;
        peers.clear();
    }

    /** The process called. */
    synchronized void connected(Link newLink, DemoMessage.Hello greeting) {
        link = newLink;
        hello = greeting;
    }

    synchronized void heard(DemoMessage.Status news) {
        status = news;
    }

    synchronized void sees(DemoMessage.PeerSeen news) {
        peers.put(news.peer(), news.state());
    }

    /** What this node thinks of a peer; empty when it has not said. */
    synchronized String view(String peer) {
        return peers.getOrDefault(peer, "");
    }

    /** Asks the process what it has used; false when there is no connection. */
    boolean measure() {
        synchronized (this) {
            used = null;
        }
        return send(new DemoMessage.Measure());
    }

    synchronized void measured(DemoMessage.Measured news) {
        used = Sample.parse(news.sample());
    }

    /** Returns whether it has answered, or cannot. */
    synchronized boolean isMeasured() {
        return used != null || link == null || link.isClosed();
    }

    /** What it answered. */
    synchronized AgeCurve.Reading reading(long storedBytes) {
        return new AgeCurve.Reading(hello == null ? 0 : hello.incarnation(), used, storedBytes);
    }

    /** Returns whether a process was started. */
    synchronized boolean hasChild() {
        return child != null;
    }

    /** Returns whether it was killed on purpose and not started since. */
    synchronized boolean expectedDead() {
        return killed;
    }

    /** Kills the process: SIGKILL, no farewell. */
    void kill() {
        ChildJvm victim = child();
        synchronized (this) {
            killed = true;
        }
        victim.kill();
    }

    /** Stops the process where it is; its clients go elsewhere as long as that lasts. */
    void freeze() throws IOException {
        frozen = true;
        child().freeze();
    }

    void thaw() throws IOException {
        child().thaw();
        frozen = false;
    }

    /** Lets its wall clock jump; it stays off when the process is started again. */
    void stepClock(Duration step) {
        long off;
        synchronized (this) {
            clockOffMillis += step.toMillis();
            off = clockOffMillis;
        }
        send(new DemoMessage.ClockOff(off));
    }

    /** By how many milliseconds its wall clock is off. */
    synchronized long clockOffMillis() {
        return clockOffMillis;
    }

    /** The process, once started. */
    synchronized ChildJvm child() {
        if (child == null) {
            throw new IllegalStateException(name + " was not started");
        }
        return child;
    }

    /** What it said when it called; null before. */
    synchronized DemoMessage.@Nullable Hello hello() {
        return hello;
    }

    /** Its latest news; null before the first, and when the connection is gone. */
    synchronized DemoMessage.@Nullable Status status() {
        return link == null || link.isClosed() ? null : status;
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public boolean accepting() {
        DemoMessage.Status latest = status();
        return latest != null && latest.ready() && !frozen;
    }

    @Override
    public boolean submit(DemoMessage.Submit request) {
        return send(request);
    }

    /** Sends to the process; false when there is no connection. */
    boolean send(DemoMessage message) {
        Link current;
        synchronized (this) {
            current = link;
        }
        return current != null && current.send(message);
    }
}
