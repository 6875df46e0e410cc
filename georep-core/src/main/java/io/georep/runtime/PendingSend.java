package io.georep.runtime;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.OutboxCommand;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One send under way: the producer's future, the token of the put, and a link of the queue it waits in, all in one
 * object, because there is one per entry.
 */
public final class PendingSend extends CompletableFuture<EntryId> {
    /** What to put; forgotten once it was handed to the protocol, which may free the bytes before the answer. */
    OutboxCommand.@Nullable Put put;

    @Nullable
    PendingSend next;

    /** A send that is not queued yet. */
    public PendingSend(String queue, int f, Slice payload) {
        this(queue, f, payload, false);
    }

    /** A send that is not queued yet, perhaps of an entry that is not handed out before it is decided. */
    public PendingSend(String queue, int f, Slice payload, boolean prepared) {
        put = new OutboxCommand.Put(queue, f, payload, this, prepared);
    }

    /** Stages derived from this one are plain futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
