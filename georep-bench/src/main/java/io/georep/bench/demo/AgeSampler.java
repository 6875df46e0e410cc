package io.georep.bench.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Asks the nodes again and again what they use, on a thread of its own. */
final class AgeSampler {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 50;

    private final List<NodeProcess> nodes;
    private final NodeFiles files;
    private final Duration every;
    private final LongSupplier entries;
    private final Terminal terminal;
    private final AgeCurve curve = new AgeCurve();
    private final Thread thread = new Thread(this::run, "demo-age");

    AgeSampler(List<NodeProcess> nodes, NodeFiles files, Duration every, LongSupplier entries, Terminal terminal) {
        this.nodes = nodes;
        this.files = files;
        this.every = every;
        this.entries = entries;
        this.terminal = terminal;
        thread.setDaemon(true);
    }

    /** Begins, unless there is nothing to measure. */
    void start() {
        if (!every.isZero()) {
            thread.start();
        }
    }

    /** Ends, and prints what came of it. */
    void stop() {
        if (thread.isAlive()) {
            thread.interrupt();
            try {
                thread.join(ANSWER_WITHIN.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        curve.verdict().forEach(line -> terminal.plain("  %s", line));
    }

    private void run() {
        long startNanos = System.nanoTime();
        try {
            for (long number = 0; ; number++) {
                long dueNanos = startNanos + number * every.toNanos();
                TimeUnit.NANOSECONDS.sleep(dueNanos - System.nanoTime());
                nodes.forEach(NodeProcess::measure);
                long deadline = System.nanoTime() + ANSWER_WITHIN.toNanos();
                while (System.nanoTime() < deadline && !nodes.stream().allMatch(NodeProcess::isMeasured)) {
                    TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                }
                double minutes = (System.nanoTime() - startNanos) / 60e9;
                List<AgeCurve.Reading> readings = nodes.stream()
                        .map(node -> node.reading(files.storedBytes(node)))
                        .toList();
                terminal.event("%s", curve.add(minutes, entries.getAsLong(), readings));
            }
        } catch (InterruptedException e) {
            return; // Stopped.
        }
    }
}
