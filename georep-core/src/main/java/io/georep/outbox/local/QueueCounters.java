package io.georep.outbox.local;

import io.georep.outbox.QueueStatistics;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one queue; added to per batch, not per entry, wherever possible. */
final class QueueCounters {
    final LongAdder acknowledged = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder indeterminate = new LongAdder();
    final LongAdder delivered = new LongAdder();
    final LongAdder forwarded = new LongAdder();
    final LongAdder failedAttempts = new LongAdder();
    final LongAdder deadLettered = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder adopted = new LongAdder();

    QueueStatistics snapshot(long active, long parked) {
        return new QueueStatistics(
                acknowledged.sum(),
                rejected.sum(),
                indeterminate.sum(),
                delivered.sum(),
                forwarded.sum(),
                failedAttempts.sum(),
                deadLettered.sum(),
                expired.sum(),
                adopted.sum(),
                active,
                parked);
    }
}
