package io.georep.outbox.local;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.TreeSet;

/**
 * When each consumer must be called. A consumer has at most one alarm: the earliest time that it has asked for. When
 * the alarm rings, it asks for the next one. Only consumers that have asked are looked at, whatever the number of
 * queues. Application thread only.
 */
final class ConsumerAlarms {
    private record Alarm(long atNanos, long number, QueueConsumer consumer) {}

    private final TreeSet<Alarm> alarms =
            new TreeSet<>(Comparator.comparingLong(Alarm::atNanos).thenComparingLong(Alarm::number));
    private final IdentityHashMap<QueueConsumer, Alarm> ofConsumer = new IdentityHashMap<>();
    private long lastNumber;

    void set(QueueConsumer consumer, long atNanos) {
        Alarm before = ofConsumer.get(consumer);
        if (before == null || atNanos < before.atNanos) {
            cancel(consumer);
            Alarm alarm = new Alarm(atNanos, ++lastNumber, consumer);
            ofConsumer.put(consumer, alarm);
            alarms.add(alarm);
        }
    }

    /** Drops the alarm of a consumer that has ended, or whose time has come. */
    void cancel(QueueConsumer consumer) {
        Alarm alarm = ofConsumer.remove(consumer);
        if (alarm != null) {
            alarms.remove(alarm);
        }
    }

    /** Returns the next consumer whose time has come, after calling it; false when there is none. */
    boolean ringNext(long nowNanos) {
        if (nextNanos() > nowNanos) {
            return false;
        }
        QueueConsumer consumer = alarms.first().consumer;
        cancel(consumer);
        consumer.alarm(nowNanos);
        return true;
    }

    /** Returns when the next alarm rings; {@link Long#MAX_VALUE} for never. */
    long nextNanos() {
        return alarms.isEmpty() ? Long.MAX_VALUE : alarms.first().atNanos;
    }
}
