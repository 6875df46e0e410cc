package io.georep.outbox;

import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.StreamId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The object through which one node uses a replicated queue. An entry that was sent to the queue survives the failure of f
 * nodes until a handler has forwarded it. The handler also gets entries from before a restart and entries that this node
 * adopted from another one. Thread-safe.
 *
 * <p>Open an outbox with {@link OutboxService#outbox} and register callbacks. Call {@link #forward} when you are ready to take
 * entries. Call {@link #send} from any thread, also on nodes that never forward. The outbox ends with its node.
 *
 * @param <T> type of the payload
 */
public interface Outbox<T> {
    /** Returns the name of the queue. It is the same on all nodes. */
    String name();

    /** Sends with the settings of the outbox; see {@link #send(Object, SendOptions)}. */
    default CompletionStage<EntryId> send(T payload) {
        return send(payload, SendOptions.defaults());
    }

    /**
     * Accepts an entry and copies it to f other nodes.
     *
     * <p>The stage completes when f + 1 copies are durable. It fails with
     *
     * <ul>
     *   <li>{@link RejectedException} if nothing was stored; its reason says what to do;
     *   <li>{@link IndeterminateException} if copies may exist, so that the entry may still be forwarded;
     *   <li>{@link ClosedException} if the node is stopped or stopping; nothing was stored.
     * </ul>
     *
     * <p>The stage completes on the application thread of the outboxes. What depends on it must not block; for that,
     * use the {@code …Async} methods. Only the node can complete the stage. {@code toCompletableFuture()} returns a
     * future that belongs to the caller, who may cancel it or let it time out.
     *
     * @throws IllegalArgumentException if the codec cannot write the payload, or if an option is out of range
     */
    CompletionStage<EntryId> send(T payload, SendOptions options);

    /** Sends several payloads at once. Returns one stage for each, in the same order. */
    default List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads) {
        return sendAll(payloads, SendOptions.defaults());
    }

    /** Sends several payloads at once, with the same options. Returns one stage for each, in the same order. */
    List<CompletionStage<EntryId>> sendAll(List<? extends T> payloads, SendOptions options);

    /**
     * Sends an entry and waits until f + 1 copies are durable. Do not call this in callbacks of this library.
     *
     * @param atMost how long to wait
     * @throws RejectedException if nothing was stored
     * @throws IndeterminateException if copies may exist, also if {@code atMost} is over or the thread is interrupted
     * @throws ClosedException if the node is stopped or stopping; nothing was stored
     * @throws IllegalStateException if called on an application thread of the node, which could wait for itself
     */
    default EntryId sendAndWait(T payload, Duration atMost) {
        try {
            long nanos = TimeUnit.NANOSECONDS.convert(atMost); // before anything is sent; saturates
            return send(payload).toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IndeterminateException("no answer within " + atMost + ": the entry may still be forwarded");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IndeterminateException("interrupted while waiting: the entry may still be forwarded");
        }
    }

    /**
     * Copies an entry like {@link #send(Object, SendOptions)}, but no handler gets it before {@link #decide}. This is for a
     * producer whose own transaction may still fail. Until the decision the entry is undecided, also on a node that adopts it.
     */
    CompletionStage<EntryId> prepare(T payload, SendOptions options);

    /**
     * Decides on prepared entries. This node decides on entries that it holds, or that it prepared itself. If another node
     * has taken these over meanwhile, this node tells it. Other entries are left alone.
     *
     * @param commit true: handlers get the entries; false: the entries are withdrawn everywhere
     */
    void decide(Collection<EntryId> ids, boolean commit);

    /**
     * Reads a page of the prepared entries that this node holds and nobody has decided on, in the order of their ids. The page
     * also has entries whose payload cannot be read; see {@link Delivery#payload}. It is shorter than asked for when the payloads
     * reach 4 MiB; only an empty page is the end.
     *
     * @param after the page starts after this id; null for the first page
     * @param max the size of the page, 1 to {@link DeadLetters#PAGE_MAX}
     */
    CompletionStage<List<Delivery<T>>> undecided(@Nullable EntryId after, int max);

    /**
     * Reads one entry that this node holds as a dead letter or undecided, as it is stored: for operators who want to know why
     * nobody can read it. Empty if this node holds no such entry.
     */
    CompletionStage<Optional<StoredEntry>> setAside(EntryId id);

    /**
     * Registers a callback for prepared entries on which no producer of this node will decide, because the node found
     * them at a restart or adopted them. The argument is their number; {@link #undecided} lists them. The callback runs
     * on the application thread of the outboxes and must not block.
     */
    Outbox<T> onUndecided(LongConsumer callback);

    /**
     * Registers a callback for prepared entries that were withdrawn by {@link #decide} of this node. The callback runs on the thread
     * of whoever decided.
     */
    Outbox<T> onWithdrawn(Consumer<EntryId> callback);

    /** Starts forwarding with this handler and with default options. */
    default Forwarding forward(ForwardHandler<T> handler) {
        return forward(handler, options -> {});
    }

    /**
     * Starts forwarding with this handler. An outbox has one handler at a time.
     *
     * @throws IllegalStateException if another handler is at work
     * @throws ClosedException if the node is stopped or stopping
     */
    Forwarding forward(ForwardHandler<T> handler, Consumer<ForwardOptions> options);

    /** Like {@link #forward}, with a handler that takes up to {@link ForwardOptions#batchMax} entries at once. */
    Forwarding forwardBatches(BatchForwardHandler<T> handler, Consumer<ForwardOptions> options);

    /**
     * Registers a callback for adopted entries. It is called for each of them before the handler gets the entry, on the same
     * thread. If it throws, the error is logged.
     */
    Outbox<T> onAdoption(Consumer<Adoption<T>> callback);

    /**
     * Registers a callback for entries that were dropped because their time to live was over. If it throws, the error is
     * logged.
     */
    Outbox<T> onExpired(Consumer<Delivery<T>> callback);

    /**
     * Registers a callback for entries that were sent on this node since its start and have ended without a handler
     * here. Another node took them over and forwarded them, for example, or they became dead letters because nobody can
     * read their payloads. The arguments are the stream of the entries and how many they are. The callback runs on the
     * application thread of the outboxes and must not block.
     */
    Outbox<T> onFinishedElsewhere(ObjLongConsumer<StreamId> callback);

    /** Returns the dead letters that this node holds. */
    DeadLetters<T> deadLetters();

    /** Pauses the handler, and those that follow it, until {@link #resume()}; see {@link Forwarding#pause()}. */
    void pause();

    /** Goes on after {@link #pause()}: resumes the handler, if there is one. */
    void resume();

    /** Returns the counters of this outbox. Never blocks. */
    QueueStatistics statistics();
}
