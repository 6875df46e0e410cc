package io.georep.outbox;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The small interface of the paper, for applications that keep their queue themselves and want only the copies. While this
 * node runs, it does not hand back what it accepted. Thread-safe.
 *
 * <p>Register a callback with {@link #onAdopted} first, then call {@link #start}. The callback first gets the entries from
 * before a restart, and later adopted ones whenever another node is gone.
 */
public interface Replication {
    /**
     * An entry that this application must forward from now on.
     *
     * @param id id of the entry; pass it to {@link Replication#forwarded}
     * @param payload the bytes that were replicated
     * @param from the node that had the duty before; null for an entry of this node from before a restart
     * @param possiblySent whether somebody may have forwarded the entry already
     */
    record Entry(EntryId id, byte[] payload, @Nullable NodeId from, boolean possiblySent) {
        /** Returns whether this node itself accepted the entry, before a restart. */
        public boolean recovered() {
            return from == null;
        }
    }

    /** Returns the name of the queue. It is the same on all nodes. */
    String name();

    /**
     * Copies the bytes to f other nodes. The stage completes and fails like that of {@link Outbox#send}.
     *
     * @param f number of copies on other nodes, 0 to {@value OutboxOptions#F_MAX}
     */
    CompletionStage<EntryId> replicate(byte[] payload, int f);

    /** Tells the node that these entries were forwarded. All their copies are deleted. */
    void forwarded(EntryId... ids);

    /** Tells the node that these entries were forwarded. All their copies are deleted. */
    void forwarded(Collection<EntryId> ids);

    /**
     * Registers the callback that gets recovered and adopted entries. It runs on the application thread of the outboxes
     * and must not block. If it throws, it gets the entry again, marked as possibly sent: after a second, and then less
     * and less often.
     */
    Replication onAdopted(Consumer<Entry> callback);

    /**
     * Begins to hand over recovered and adopted entries. Call this also on nodes that only replicate: without it the node
     * cannot know which entries the application has.
     *
     * @throws IllegalStateException if no callback is registered
     */
    Replication start();
}
