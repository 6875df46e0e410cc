package io.georep.outbox.local;

import io.georep.outbox.QueueStatistics;
import io.georep.outbox.RepetitionCause;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

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

    /** Has all causes from the beginning, so that threads may count at the same time. */
    private final Map<RepetitionCause, LongAdder> possiblySent = new EnumMap<>(RepetitionCause.class);

    QueueCounters() {
        for (RepetitionCause cause : RepetitionCause.values()) {
            possiblySent.put(cause, new LongAdder());
        }
    }

    /** The application gets an entry that may have been forwarded before, for this cause; null if it cannot have been. */
    void handedOver(@Nullable RepetitionCause cause) {
        LongAdder count = cause == null ? null : possiblySent.get(cause);
        if (count != null) {
            count.increment();
        }
    }

    private Map<RepetitionCause, Long> possiblySent() {
        Map<RepetitionCause, Long> counts = new EnumMap<>(RepetitionCause.class);
        possiblySent.forEach((cause, count) -> {
            if (count.sum() > 0) {
                counts.put(cause, count.sum());
            }
        });
        return counts;
    }

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
                possiblySent(),
                active,
                parked);
    }
}
