package io.georep;

import io.georep.outbox.OutboxEvent;
import java.time.Duration;
import java.util.List;

/** Takes the deliveries of one queue. */
interface QueueConsumer {
    /** Application thread: entries arrived; each used one credit or answers a reread. */
    void delivered(List<OutboxEvent.Delivered> entries);

    /** Application thread: {@link #nextDeadlineNanos} may have come. */
    default void time(long nowNanos) {}

    /** When {@link #time} is wanted next; {@link Long#MAX_VALUE} for never. */
    default long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    /** Takes nothing more, gives back what is untouched, waits for what is in hands; answers whether all ended. */
    boolean stop(Duration atMost);
}
