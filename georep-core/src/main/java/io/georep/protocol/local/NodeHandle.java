package io.georep.protocol.local;

import io.georep.model.ClosedException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What a node offers to the {@link LocalSide} of one protocol. Thread-safe.
 *
 * @param <C> the commands of the protocol
 */
public interface NodeHandle<C> {
    /** Returns the name of the node, for threads and log lines. */
    String nodeName();

    /** Returns the monotonic time in nanoseconds. */
    long nanos();

    /** Returns the wall clock in milliseconds. */
    long wallMillis();

    /**
     * Checks that something new may begin.
     *
     * @throws ClosedException if the node is stopped or stopping
     */
    void requireRunning();

    /** Gives the protocol a command. If the node is stopped, drops it and returns false. */
    boolean command(C command);

    /** Makes the driver look at the {@link TurnSource} soon. */
    void wake();

    /**
     * Gives the protocol a command and returns a stage for its answer. The argument of the function is a token. The
     * event that answers must carry it, and the local side passes both to {@link #answer}.
     *
     * @return completes with the answer; fails if the node stops before
     */
    <R> CompletableFuture<R> ask(Function<Object, C> commandOfToken);

    /** Completes the stage that {@link #ask} returned for this token. A token for which nobody waits is ignored. */
    void answer(Object token, Object answer);

    /** Runs a task on the application thread soon. If the node is stopped, does not run it and returns false. */
    boolean execute(Runnable task);

    /** Ends the node, because lack of memory has lost something that it needs. Any thread; needs no memory. */
    void fail(Throwable cause);

    /** Returns whether the caller is an application thread of the node, of whatever protocol: they must not wait for each other. */
    boolean onApplicationThread();
}
