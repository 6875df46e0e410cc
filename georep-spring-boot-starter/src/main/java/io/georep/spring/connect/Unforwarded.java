package io.georep.spring.connect;

import io.georep.outbox.QueueStatistics;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches outboxes that a source fills and from which nothing on this node takes entries, because the disk would be
 * full one day. For the thread of the task, except {@link #problem}.
 */
final class Unforwarded {
    private static final Logger LOG = LoggerFactory.getLogger(Unforwarded.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int NAMED = 10;

    private final String task;
    private final int many;
    private long lookedAtNanos = System.nanoTime() - LOOK_NANOS;
    private volatile @Nullable String problem;

    /** {@code many}: with so many entries in all that nobody takes there is something wrong. */
    Unforwarded(String task, int many) {
        this.task = task;
        this.many = many;
    }

    /** Returns what an operator should know; null for nothing. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Looks at these outboxes now and then. */
    void look(Map<String, RawOutboxes.Raw<?>> outboxes) {
        if (System.nanoTime() - lookedAtNanos < LOOK_NANOS) {
            return;
        }
        lookedAtNanos = System.nanoTime();
        TreeSet<String> found = new TreeSet<>();
        long entries = 0;
        for (Map.Entry<String, RawOutboxes.Raw<?>> outbox : outboxes.entrySet()) {
            QueueStatistics statistics = outbox.getValue().statistics();
            if (statistics.delivered() == 0 && statistics.acknowledged() > 0) {
                found.add(outbox.getKey());
                entries += statistics.acknowledged();
            }
        }
        String text = entries < many
                ? null
                : "the source fills the outboxes "
                        + found.stream().limit(NAMED).toList()
                        + (found.size() > NAMED ? " and others" : "")
                        + ", but nothing on this node has taken an entry from there since the start: add a listener or"
                        + " a sink on each node that runs the source";
        if (text != null && !text.equals(problem)) {
            LOG.warn("Task {}: {}", task, text);
        }
        problem = text;
    }
}
