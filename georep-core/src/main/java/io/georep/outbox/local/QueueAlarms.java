package io.georep.outbox.local;

/** Calls consumers of queues when a time has come. Thread-safe. */
interface QueueAlarms {
    /** Has {@link QueueConsumer#alarm} called at this time of the node's monotonic clock, unless an earlier time is asked for. */
    void setAlarm(QueueConsumer consumer, long atNanos);

    /** Drops the alarm of a consumer that has ended. */
    void cancelAlarms(QueueConsumer consumer);
}
