package io.georep.outbox;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The paper's own small interface, for applications that keep their queue themselves and want only the copies: nothing
 * this node accepted is handed back to it while it runs. Thread-safe.
 *
 * <p>Life: register {@link #onAdopted} first, then {@link #start}: entries recovered from before a restart come first,
 * adopted ones whenever another node is gone.
 */
public interface Replication {
    /**
     * An entry that is now this application's to forward.
     *
     * @param id its id, to be passed to {@link Replication#forwarded}
     * @param payload the bytes of the put
     * @param from the node that was responsible before; null for an entry of this node from before a restart
     * @param possiblySent whether somebody may have forwarded it already
     */
    record Entry(EntryId id, byte[] payload, @Nullable NodeId from, boolean possiblySent) {
        /** Whether it is this node's own, accepted before a restart. */
        public boolean recovered() {
            return from == null;
        }
    }

    /** Name of the queue, the same on all nodes. */
    String name();

    /**
     * Copies the bytes to f other nodes; completes and fails like {@link Outbox#send}.
     *
     * @param f 0 to {@value OutboxOptions#F_MAX}
     */
    CompletionStage<EntryId> replicate(byte[] payload, int f);

    /** These entries were forwarded: deletes all copies. */
    void forwarded(EntryId... ids);

    /** These entries were forwarded: deletes all copies. */
    void forwarded(Collection<EntryId> ids);

    /**
     * Tells who gets recovered and adopted entries; called on the node's application thread, must not block. An entry for
     * which it throws is told again, after a second and then less and less often, as possibly sent.
     */
    Replication onAdopted(Consumer<Entry> callback);

    /**
     * Begins to hand over recovered and adopted entries.
     *
     * @throws IllegalStateException when no callback was registered
     */
    Replication start();
}
