package io.georep.outbox;

import java.time.Duration;

/** A handler at work. Thread-safe. */
public interface Forwarding {
    /** Stops calling the handler. Calls at work go on. Entries that the handler did not get yet go back to the node. */
    void pause();

    /** Calls the handler again after {@link #pause()}. */
    void resume();

    /** Returns whether it is paused. */
    boolean paused();

    /** Returns whether nobody has called {@link #stop} yet. */
    boolean running();

    /**
     * Ends this forwarding. It stops calling the handler and waits for calls at work. Afterwards the outbox accepts another
     * handler. An entry that was kept beyond its handler's return may then fail with a
     * {@link java.util.concurrent.CancellationException}, which gives it back. This counts neither as forwarded nor as a
     * failed attempt.
     *
     * @param atMost how long to wait
     * @return whether all handler calls have ended. Calls still at work count when they end
     * @throws IllegalStateException if called on an application thread of the node, which could wait for itself, unless {@code
     *     atMost} is zero
     */
    boolean stop(Duration atMost);
}
