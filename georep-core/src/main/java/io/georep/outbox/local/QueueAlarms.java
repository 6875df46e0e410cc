package io.georep.outbox.local;

/** Calls consumers of queues when a time has come. Thread-safe. */
interface QueueAlarms {
    /** Has {@link QueueConsumer#alarm} called at this time of the node's monotonic clock. */
    void setAlarm(QueueConsumer consumer, long atNanos);

    /** Drops the alarms of a consumer that has ended. */
    void cancelAlarms(QueueConsumer consumer);
}
