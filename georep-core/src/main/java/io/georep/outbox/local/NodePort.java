package io.georep.outbox.local;

import io.georep.model.ClosedException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What a queue needs of its node. */
interface NodePort {
    /** Monotonic nanoseconds. */
    long nanos();

    /** Wall clock milliseconds. */
    long wallMillis();

    /** Gives a command to the outbox protocol; dropped when the node is stopped. */
    void command(Object outboxCommand);

    /**
     * Checks that queues and handlers may begin.
     *
     * @throws ClosedException when the node is stopped or stopping
     */
    void requireRunning();

    /** Runs a task on the application thread; false when the node is stopped. */
    boolean execute(Runnable task);

    /** Has {@link QueueConsumer#alarm} called at this time of {@link #nanos}. */
    void setAlarm(QueueConsumer consumer, long atNanos);

    /** Drops the alarms of a consumer that has ended. */
    void cancelAlarms(QueueConsumer consumer);

    /** Whether the caller is the application thread, which must not wait for itself. */
    boolean onApplicationThread();

    /** Gives the outbox protocol a command that is answered with its token; the argument is the token. */
    <R> CompletableFuture<R> ask(Function<Object, Object> commandOfToken);

    /** Names threads and log lines. */
    String nodeName();
}
