package io.georep.spring.boot.actuate;

import io.georep.spring.Outboxes;
import org.jspecify.annotations.Nullable;

/**
 * What the node must be able to do to be ready.
 *
 * @param f copies that must be possible; null: as many as the queue with the most wants
 * @param defaultF copies of queues that do not say
 */
public record ReadinessTarget(@Nullable Integer f, int defaultF) {
    /** Copies that must be possible now, for the queues opened so far. */
    public int copies(Outboxes outboxes) {
        return f != null
                ? f
                : outboxes.names().stream().mapToInt(outboxes::f).max().orElse(defaultF);
    }
}
