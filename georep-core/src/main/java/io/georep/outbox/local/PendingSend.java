package io.georep.outbox.local;

import io.georep.concurrent.LinkedHandOff;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxCommand;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One send under way: the future of the producer, the token of the put, and a link of the queue in which it waits. All
 * of it is one object, because there is one per entry. Only the node completes it, whatever a producer does to the
 * stage it was given: others may wait for the same result, and a transaction decides by it.
 */
final class PendingSend extends CompletableFuture<EntryId> implements LinkedHandOff.Link<PendingSend> {
    /** What to put; forgotten once it was handed to the protocol, which may free the bytes before the answer. */
    OutboxCommand.@Nullable Put put;

    private @Nullable PendingSend next;

    /** A send that is not queued yet. */
    public PendingSend(String queue, int f, Slice payload) {
        this(queue, f, payload, false);
    }

    /** A send that is not queued yet, perhaps of an entry that is not handed out before it is decided. */
    public PendingSend(String queue, int f, Slice payload, boolean prepared) {
        put = new OutboxCommand.Put(queue, f, payload, this, prepared);
    }

    @Override
    public @Nullable PendingSend next() {
        return next;
    }

    @Override
    public void next(@Nullable PendingSend link) {
        next = link;
    }

    /** Stages derived from this one are plain futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    /** The entry is stored. Returns whether this is the first answer. */
    public boolean stored(EntryId id) {
        return super.complete(id);
    }

    /** The send failed. Returns whether this is the first answer. */
    public boolean failed(Throwable cause) {
        return super.completeExceptionally(cause);
    }

    /** A future of the caller's own, which it may complete, cancel or time out. */
    @Override
    public CompletableFuture<EntryId> toCompletableFuture() {
        return ofTheCaller();
    }

    @Override
    public CompletableFuture<EntryId> orTimeout(long timeout, TimeUnit unit) {
        return ofTheCaller().orTimeout(timeout, unit);
    }

    @Override
    public CompletableFuture<EntryId> completeOnTimeout(EntryId value, long timeout, TimeUnit unit) {
        return ofTheCaller().completeOnTimeout(value, timeout, unit);
    }

    @Override
    public CompletableFuture<EntryId> completeAsync(Supplier<? extends EntryId> supplier, Executor executor) {
        return ofTheCaller().completeAsync(supplier, executor);
    }

    @Override
    public CompletableFuture<EntryId> completeAsync(Supplier<? extends EntryId> supplier) {
        return ofTheCaller().completeAsync(supplier);
    }

    /** Unlike a copy it fails with the same exception object, because callers look at its type. */
    private CompletableFuture<EntryId> ofTheCaller() {
        CompletableFuture<EntryId> own = new CompletableFuture<>();
        CompletableFuture<EntryId> unused = whenComplete((id, cause) -> {
            if (cause == null) {
                own.complete(id);
            } else {
                own.completeExceptionally(cause);
            }
        });
        return own;
    }

    @Override
    public boolean complete(EntryId value) {
        return false;
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        return false;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    @Override
    public void obtrudeValue(EntryId value) {
        throw notYours();
    }

    @Override
    public void obtrudeException(Throwable cause) {
        throw notYours();
    }

    private static UnsupportedOperationException notYours() {
        return new UnsupportedOperationException("only the node answers a send: change a copy, toCompletableFuture()");
    }
}
