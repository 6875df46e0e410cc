package io.georep.outbox;

import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.StreamId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A replicated queue: entries sent here survive the failure of f nodes until they are forwarded by a handler on the node
 * that holds them. Entries recovered at a restart or adopted from another node simply appear at the handler.
 *
 * <p>Life: open it with {@link GeoRepNode#outbox}; register callbacks; {@link #forward} when ready to take entries;
 * {@link #send} from any thread, also on nodes that never forward. It ends with its node. Thread-safe.
 *
 * @param <T> type of the payload
 */
public interface Outbox<T> {
    /** Name of the queue, the same on all nodes. */
    String name();

    /** Sends with the options of the outbox; see {@link #send(Object, SendOptions)}. */
    CompletionStage<EntryId> send(T payload);

    /**
     * Accepts an entry and copies it to f other nodes.
     *
     * <p>The stage completes when f+1 copies are durable. It fails with {@link RejectedException} when nothing was
     * stored (the reason says what to do), with {@link IndeterminateException} when copies may exist, or with
     * {@link ClosedException}. It completes on the node's application thread: dependents must not block, or use the
     * {@code …Async} methods. Only the node completes it; {@code toCompletableFuture()} answers a future of the caller's own,
     * to cancel or time out as it likes.
     *
     * @throws IllegalArgumentException when the codec cannot write the payload or an option is out of range
     */
    CompletionStage<EntryId> send(T payload, SendOptions options);

    /** Sends several payloads with one hand-over; one stage each, in the same order. */
    List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads);

    /** Sends several payloads with one hand-over and the same options; one stage each, in the same order. */
    List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads, SendOptions options);

    /**
     * Sends and waits until f+1 copies are durable. Not for callbacks of this library.
     *
     * @param atMost how long to wait
     * @throws RejectedException when nothing was stored
     * @throws IndeterminateException when copies may exist, also when {@code atMost} is over or the thread is interrupted
     * @throws ClosedException when the node is stopped or stopping
     * @throws IllegalStateException on the node's application thread, which would wait for itself
     */
    EntryId sendAndWait(T payload, Duration atMost);

    /**
     * Copies an entry like {@link #send(Object, SendOptions)}, but no handler gets it before {@link #decide}: for a
     * producer whose own transaction may still fail. Until then it counts as undecided, also on a node that adopts it.
     */
    CompletionStage<EntryId> prepare(T payload, SendOptions options);

    /**
     * Decides on prepared entries this node holds or prepared itself; when another node took them over meanwhile, that one
     * is told. Others are left alone.
     *
     * @param commit true: handlers get them; false: they are withdrawn everywhere
     */
    void decide(Collection<EntryId> ids, boolean commit);

    /**
     * Prepared entries this node holds and nobody decided, in the order of their ids. Those whose payload cannot be read
     * are among them; see {@link Delivery#payload}.
     *
     * @param after id to start after; null for the first page
     * @param max size of the page, 1 to {@link DeadLetters#PAGE_MAX}
     */
    CompletionStage<List<Delivery<T>>> undecided(@Nullable EntryId after, int max);

    /**
     * Tells this callback, on the application thread, when prepared entries turn up that no producer on this node will
     * decide: found at a restart or adopted. The argument is their number; list them with {@link #undecided}.
     */
    Outbox<T> onUndecided(LongConsumer callback);

    /** Forwards with default options. */
    Forwarding forward(ForwardHandler<T> handler);

    /**
     * Starts forwarding with this handler.
     *
     * @throws IllegalStateException when a handler is at work already
     * @throws ClosedException when the node is stopped or stopping
     */
    Forwarding forward(ForwardHandler<T> handler, Consumer<ForwardOptions> options);

    /** Starts forwarding with a handler that answers later, with default options. */
    Forwarding forwardAsync(AsyncForwardHandler<T> handler);

    /**
     * Starts forwarding with a handler that answers later. The first completion of a stage counts; one that never completes
     * keeps its entry, and its place in the window, until the node is restarted.
     */
    Forwarding forwardAsync(AsyncForwardHandler<T> handler, Consumer<ForwardOptions> options);

    /** Starts forwarding with a handler that takes up to {@link ForwardOptions#batchMax} entries at once. */
    Forwarding forwardBatches(BatchForwardHandler<T> handler, Consumer<ForwardOptions> options);

    /** Starts forwarding with a handler that takes several entries at once and answers later. */
    Forwarding forwardBatchesAsync(AsyncBatchForwardHandler<T> handler, Consumer<ForwardOptions> options);

    /**
     * Tells this callback about every adopted entry, before the entry goes to the handler and on the same thread. What
     * it throws is logged.
     */
    Outbox<T> onAdoption(Consumer<Adoption<T>> callback);

    /** Tells this callback about every entry dropped because its time to live ended; what it throws is logged. */
    Outbox<T> onExpired(Consumer<Delivery<T>> callback);

    /**
     * Tells this callback, on the application thread, when entries sent here since the start have ended elsewhere, and no
     * handler here had them: another node had taken them over and forwarded them, for example. The arguments are their
     * stream and their number.
     */
    Outbox<T> onEndedElsewhere(ObjLongConsumer<StreamId> callback);

    /** Entries set aside on this node. */
    DeadLetters<T> deadLetters();

    /** Pauses the handler at work, if any; see {@link Forwarding#pause()}. */
    void pause();

    /** Resumes the handler at work, if any. */
    void resume();

    /** Counters of this outbox; never blocks. */
    QueueStatistics statistics();
}
