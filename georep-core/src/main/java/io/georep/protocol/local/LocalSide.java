package io.georep.protocol.local;

import io.georep.model.ProtocolStatistics;
import io.georep.protocol.UrgentEvent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What stands between a protocol and the application on one node. It offers the API of the protocol, turns calls into
 * commands, and takes the events of the protocol.
 *
 * <p>Events and {@link #time} come on the application thread, and calls of the API on any thread. When the node is
 * closed, {@link #close} and {@link #finish} are called, and {@link #ended} as the last call on the application thread.
 *
 * @param <S> type of the API
 * @param <C> the commands of the protocol
 * @param <E> the events of the protocol
 */
public interface LocalSide<S, C, E> {
    /** Returns the API that the application sees. */
    S service();

    /** Returns what gathers many small requests into one command per turn; null if there is nothing of that kind. */
    default @Nullable TurnSource<C> source() {
        return null;
    }

    /** Reads what the protocol did and holds, without waiting. The stage fails if the node is stopped. Any thread. */
    default CompletionStage<? extends ProtocolStatistics> readStatistics() {
        return CompletableFuture.completedFuture(ProtocolStatistics.NONE);
    }

    /** Takes an event of the protocol. What this throws is logged, and ends nothing. Application thread; of the driver if it is a {@link UrgentEvent}. */
    void event(E event);

    /**
     * Called after each burst of events, and when the time of {@link #nextDeadlineNanos} has come. Application thread.
     */
    default void time(long nowNanos) {}

    /** Returns when {@link #time} is to be called next; {@link Long#MAX_VALUE} for never. Application thread. */
    default long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    /** Accepts no requests from now on. Any thread; may be called more than once. */
    default void close() {}

    /**
     * Called after {@link #close}, on a thread that may wait: begins no more calls of the application, and waits for
     * those under way.
     */
    default void finish(Duration atMost) {}

    /**
     * Called after {@link #finish}. The stage completes, on the application thread, when no request waits for its
     * answer.
     */
    default CompletableFuture<Void> answered() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * The driver has ended, and no event follows. Gives everybody who waits for something an error. Called again if it
     * throws an {@link OutOfMemoryError}. Application thread.
     */
    default void ended() {}
}
