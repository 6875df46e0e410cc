package io.georep.protocol.local;

import io.georep.model.ClosedException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What a node offers to the {@link LocalSide} of one protocol. Thread-safe.
 *
 * @param <C> the protocol\'s commands
 */
public interface NodeHandle<C> {
    /** Names threads and log lines. */
    String nodeName();

    /** Monotonic nanoseconds. */
    long nanos();

    /** Wall clock milliseconds. */
    long wallMillis();

    /**
     * Checks that something new may begin.
     *
     * @throws ClosedException when the node is stopped or stopping
     */
    void requireRunning();

    /** Gives the protocol a command; returns false, and drops it, when the node is stopped. */
    boolean command(C command);

    /** Has the driver look at the {@link TurnSource} soon. */
    void wake();

    /**
     * Gives the protocol a command whose answer is awaited. The argument of the function is a token that the answering event
     * carries; the local side passes that on to {@link #answer}.
     *
     * @return completes with the answer, or exceptionally when the node stops before
     */
    <R> CompletableFuture<R> ask(Function<Object, C> commandOfToken);

    /** Completes what {@link #ask} returned for this token; a token that is not waited for is ignored. */
    void answer(Object token, Object answer);

    /** Runs a task on the application thread, soon; returns false, and never does, when the node is stopped. */
    boolean execute(Runnable task);

    /** Ends the node: something was lost that it cannot go on without, for lack of memory. Any thread; needs no memory. */
    void fail(Throwable cause);

    /** Whether the caller is the application thread, which must not wait for itself. */
    boolean onApplicationThread();
}
