package io.georep.outbox.local;

import java.util.PriorityQueue;

/**
 * Which consumer wants to be called when. Only those that asked are looked at, whatever the number of queues. Application
 * thread only.
 */
final class ConsumerAlarms {
    private record Alarm(long atNanos, QueueConsumer consumer) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }

    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();

    void set(QueueConsumer consumer, long atNanos) {
        alarms.add(new Alarm(atNanos, consumer));
    }

    /** A consumer has ended. */
    void cancel(QueueConsumer consumer) {
        alarms.removeIf(alarm -> alarm.consumer == consumer);
    }

    /** The next consumer whose time has come, after calling it; false when there is none. */
    boolean ringNext(long nowNanos) {
        Alarm first = alarms.peek();
        if (first == null || first.atNanos > nowNanos) {
            return false;
        }
        alarms.remove();
        first.consumer.alarm(first.atNanos, nowNanos);
        return true;
    }

    /** When the next alarm rings; {@link Long#MAX_VALUE} for never. */
    long nextNanos() {
        Alarm first = alarms.peek();
        return first == null ? Long.MAX_VALUE : first.atNanos;
    }
}
