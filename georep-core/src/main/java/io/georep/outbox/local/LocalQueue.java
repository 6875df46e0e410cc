package io.georep.outbox.local;

import io.georep.model.StreamId;
import io.georep.outbox.QueueStatistics;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.RecalledEntries;
import io.georep.protocol.local.NodeHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue that was opened on this node: where the events of its name go. */
abstract class LocalQueue {
    final String name;
    final QueueCounters counters = new QueueCounters();
    final NodeHandle<OutboxCommand> node;
    final QueueAlarms alarms;
    private volatile @Nullable QueueConsumer consumer;

    /** Stream of the entries this node accepted in this boot, null before the first; application thread only. */
    @Nullable
    StreamId ownStream;

    LocalQueue(String name, NodeHandle<OutboxCommand> node, QueueAlarms alarms) {
        this.name = name;
        this.node = node;
        this.alarms = alarms;
    }

    /** Returns the consumer that takes deliveries; null if there never was one. */
    final @Nullable QueueConsumer consumer() {
        return consumer;
    }

    final void consumer(QueueConsumer value) {
        consumer = value;
    }

    /** Application thread: entries arrived. */
    final void route(List<OutboxEvent.Delivered> entries) {
        counters.delivered.add(entries.size());
        QueueConsumer taker = consumer;
        if (taker == null) {
            // Only consumers give credit, so the consumer that asked for these entries has ended. Giving them back
            // loses nothing.
            node.command(new OutboxCommand.Return(
                    entries.stream().map(OutboxEvent.Delivered::id).toList(), List.of()));
        } else {
            taker.delivered(entries);
        }
    }

    /** Application thread: the node asks for entries back. */
    final void askBack(RecalledEntries entries) {
        QueueConsumer taker = consumer;
        if (taker != null) {
            taker.recalled(entries);
        }
    }

    /** Application thread: prepared entries without a producer turned up. */
    void undecidedFound(long entries) {}

    /** Application thread: entries sent here were finished elsewhere. */
    void finishedElsewhere(StreamId stream, long entries) {}

    abstract QueueStatistics statistics();
}
