package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.ProcessMeter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Tells a history once a second what each node process uses, on a thread of its own. */
final class ConsumptionWatch implements AutoCloseable {
    private static final long EVERY_SECONDS = 1;

    private final List<NodeProcess> nodes;
    private final History history;
    private final Map<NodeProcess, LineCount> logs = new HashMap<>();
    private final Thread thread = new Thread(this::run, "demo-consumption");

    ConsumptionWatch(List<NodeProcess> nodes, History history) {
        this.nodes = nodes;
        this.history = history;
        thread.setDaemon(true);
    }

    /** Begins, unless the history keeps nothing. */
    void start() {
        if (history.isRecording()) {
            thread.start();
        }
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(EVERY_SECONDS);
                nodes.stream().filter(NodeProcess::hasChild).forEach(this::look);
            }
        } catch (InterruptedException e) {
            return; // Closed.
        }
    }

    private void look(NodeProcess node) {
        ChildJvm child = node.child();
        int descriptors = ProcessMeter.descriptors(child.pid());
        if (descriptors > 0) {
            long lines = logs.computeIfAbsent(node, it -> new LineCount(child.log())).count();
            history.add(new Event.Used(
                    history.now(), node.name(), child.pid(), ProcessMeter.residentBytes(child.pid()), descriptors, lines));
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
