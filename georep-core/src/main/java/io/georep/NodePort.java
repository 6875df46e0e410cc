package io.georep;

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

    /** Runs a task on the application thread; false when the node is stopped. */
    boolean execute(Runnable task);

    /** Gives the outbox protocol a command that is answered with its token; the argument is the token. */
    <R> CompletableFuture<R> ask(Function<Object, Object> commandOfToken);

    /** Names threads and log lines. */
    String nodeName();
}
