package io.georep.bench.process;

import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Tells a history once a second what each child uses, on a thread of its own. Knows it on Linux only. */
public final class ConsumptionWatch implements AutoCloseable {
    private static final long EVERY_SECONDS = 1;

    private final Supplier<Map<String, ChildJvm>> children;
    private final History history;
    private final Map<String, LineCount> logs = new HashMap<>();
    private final Thread thread = new Thread(this::run, "consumption");

    /**
     * Watches nothing yet.
     *
     * @param children those that run, by node; called by the thread of the watch
     */
    public ConsumptionWatch(Supplier<Map<String, ChildJvm>> children, History history) {
        this.children = children;
        this.history = history;
        thread.setDaemon(true);
    }

    /** Begins, unless the history keeps nothing. */
    public void start() {
        if (history.isRecording()) {
            thread.start();
        }
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(EVERY_SECONDS);
                children.get().forEach(this::look);
            }
        } catch (InterruptedException e) {
            return; // Closed.
        }
    }

    private void look(String node, ChildJvm child) {
        int descriptors = ProcessMeter.descriptors(child.pid());
        if (descriptors > 0) {
            long lines = logs.computeIfAbsent(node, name -> new LineCount(child.log()))
                    .count();
            history.add(new Event.Used(
                    history.now(), node, child.pid(), ProcessMeter.residentBytes(child.pid()), descriptors, lines));
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
