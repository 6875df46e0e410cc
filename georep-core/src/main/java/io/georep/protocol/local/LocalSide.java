package io.georep.protocol.local;

import io.georep.spi.ProtocolStatistics;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What stands between a protocol and the application on one node: it offers the protocol's API, turns calls into commands,
 * and takes the protocol's events.
 *
 * <p>Life: events and {@link #time} on the application thread, and calls of the API from any thread; {@link #close} and
 * {@link #finish} when the node is closed; {@link #ended} as the last call on the application thread.
 *
 * @param <S> type of the API
 * @param <C> the protocol's commands
 * @param <E> the protocol's events
 */
public interface LocalSide<S, C, E> {
    /** The API the application sees. */
    S service();

    /** Many small requests that are taken as one command per turn; null when there are none. */
    default @Nullable TurnSource<C> source() {
        return null;
    }

    /** Any thread, without waiting: reads what the protocol did and holds; fails when the node is stopped. */
    default CompletionStage<? extends ProtocolStatistics> readStatistics() {
        return CompletableFuture.completedFuture(ProtocolStatistics.NONE);
    }

    /** Application thread: an event of the protocol. What it throws is logged and ends nothing. */
    void event(E event);

    /** Application thread: called after each burst of events and when {@link #nextDeadlineNanos} has come. */
    default void time(long nowNanos) {}

    /** Application thread: when {@link #time} is wanted next; {@link Long#MAX_VALUE} for never. */
    default long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    /** Any thread, more than once: accepts no requests from now on. */
    default void close() {}

    /** After {@link #close}, on a thread that may wait: begins no more calls of the application, waits for those under way. */
    default void finish(Duration atMost) {}

    /** After {@link #finish}: completes, on the application thread, when no request waits for its answer. */
    default CompletableFuture<Void> answered() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Application thread: the driver has ended and no event follows; whoever waits for something gets its error. Called again if
     * it throws an {@link OutOfMemoryError}.
     */
    default void ended() {}
}
