package io.georep.outbox.local;

import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.RecalledEntries;
import java.time.Duration;
import java.util.List;

/** Takes the deliveries of one queue. */
interface QueueConsumer {
    /** Application thread: entries arrived; each used one credit or answers a reread. */
    void delivered(List<OutboxEvent.Delivered> entries);

    /** Application thread: the node asks for those of these entries that no handler has. */
    default void recalled(RecalledEntries entries) {}

    /** Application thread: the earliest time that it has asked for has come. It must ask again for other times. */
    default void alarm(long nowNanos) {}

    /** Application thread, about once a minute: last chance to find work that was missed. */
    default void sweep(long nowNanos) {}

    /**
     * Takes nothing more, gives back what is untouched, and waits for what is in hands. Returns whether all of it has
     * ended.
     */
    boolean stop(Duration atMost);
}
