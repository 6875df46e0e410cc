package io.georep.outbox;

import java.time.Duration;

/** A handler at work. Thread-safe. */
public interface Forwarding {
    /** Starts no further handler call; entries not yet handed to the handler go back to the node. */
    void pause();

    /** Goes on after {@link #pause()}. */
    void resume();

    /** Whether it is paused. */
    boolean paused();

    /** Whether {@link #stop} was not called yet. */
    boolean running();

    /**
     * Ends this forwarding: starts no further handler call and waits for those at work. Afterwards the outbox takes
     * another handler. An asynchronous handler may then fail a stage with a
     * {@link java.util.concurrent.CancellationException} to give its entry back: that counts neither as forwarded nor as a
     * failed attempt.
     *
     * @param atMost how long to wait
     * @return whether all handler calls had ended; those still at work are counted when they end
     * @throws IllegalStateException on the node's application thread, which would wait for itself, unless {@code atMost} is
     *     zero
     */
    boolean stop(Duration atMost);
}
