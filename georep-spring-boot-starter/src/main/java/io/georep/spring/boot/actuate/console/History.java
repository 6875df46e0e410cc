package io.georep.spring.boot.actuate.console;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Figures of the last hour: a ring of {@value #SAMPLES} samples for the node and for each of the first {@value #QUEUES_MAX}
 * queues, less than 1 MB in all. Thread-safe.
 */
final class History {
    static final int SAMPLES = 360;
    static final int QUEUES_MAX = 100;

    /** Stands for no sample in a series. */
    private static final long NONE = -1;

    /** Figures at one moment, by their names, of the node and of its queues. */
    record Sample(Map<String, Long> node, Map<String, Map<String, Long>> queues) {}

    /**
     * What a page plots.
     *
     * @param interval seconds between samples
     * @param end when the last one was taken, in seconds since 1970
     * @param series by their names, the oldest sample first; null where there is none
     */
    record Plot(long interval, long end, Map<String, List<@Nullable Long>> series) {}

    private final Map<String, long[]> node = new LinkedHashMap<>();
    private final Map<String, Map<String, long[]>> queues = new TreeMap<>();
    private final long intervalSeconds;
    private long end;
    private int count;

    History(long intervalSeconds) {
        this.intervalSeconds = intervalSeconds;
    }

    synchronized void add(Sample sample, long nowSeconds) {
        long passed = count == 0 ? 1 : Math.round((double) (nowSeconds - end) / intervalSeconds);
        for (long missing = Math.min(passed - 1, SAMPLES); missing > 0; missing--) {
            next();
        }
        int slot = next();
        end = nowSeconds;
        put(node, sample.node(), slot);
        sample.queues().forEach((name, figures) -> {
            Map<String, long[]> queue = queues.get(name);
            if (queue == null && queues.size() < QUEUES_MAX) {
                queue = new LinkedHashMap<>();
                queues.put(name, queue);
            }
            if (queue != null) {
                put(queue, figures, slot);
            }
        });
    }

    /** Makes room for a sample. */
    private int next() {
        int slot = count % SAMPLES;
        count++;
        node.values().forEach(series -> series[slot] = NONE);
        queues.values().forEach(queue -> queue.values().forEach(series -> series[slot] = NONE));
        return slot;
    }

    private static void put(Map<String, long[]> to, Map<String, Long> figures, int slot) {
        figures.forEach((name, figure) -> to.computeIfAbsent(name, first -> empty())[slot] = figure);
    }

    private static long[] empty() {
        long[] series = new long[SAMPLES];
        Arrays.fill(series, NONE);
        return series;
    }

    /** Returns the figures of a queue, or of the node for null; null for a queue that is not among those remembered. */
    synchronized @Nullable Plot plot(@Nullable String queue) {
        Map<String, long[]> from = queue == null ? node : queues.get(queue);
        if (from == null) {
            return null;
        }
        Map<String, List<@Nullable Long>> series = new LinkedHashMap<>();
        from.forEach((name, figures) -> series.put(name, inOrder(figures)));
        return new Plot(intervalSeconds, end, series);
    }

    private List<@Nullable Long> inOrder(long[] figures) {
        int there = Math.min(count, SAMPLES);
        @Nullable Long[] inOrder = new @Nullable Long[there];
        for (int i = 0; i < there; i++) {
            long figure = figures[(count - there + i) % SAMPLES];
            inOrder[i] = figure == NONE ? null : Long.valueOf(figure);
        }
        return Arrays.asList(inOrder);
    }
}
