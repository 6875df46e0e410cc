package io.georep.outbox.local;

import io.georep.codec.EntryEnvelope;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import io.georep.outbox.core.OutboxEvent;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One attempt as the handler sees it. */
final class EntryDelivery<T> implements Delivery<T> {
    private final String queue;
    private final OutboxEvent.Delivered entry;
    private final EntryEnvelope envelope;
    private final @Nullable T payload;
    private final int attemptNumber;
    private final boolean possiblySent;
    private final boolean readable;

    // Who ends it, what that ends, and which time in hands: for a handler that keeps it.
    private @Nullable Hold hold;
    private @Nullable EntryInHand attempt;
    private int hand;

    EntryDelivery(
            String queue,
            OutboxEvent.Delivered entry,
            EntryEnvelope envelope,
            T payload,
            int attempt,
            boolean possiblySent) {
        this(queue, entry, envelope, payload, true, attempt, possiblySent);
    }

    private EntryDelivery(
            String queue,
            OutboxEvent.Delivered entry,
            EntryEnvelope envelope,
            @Nullable T payload,
            boolean readable,
            int attempt,
            boolean possiblySent) {
        this.queue = queue;
        this.possiblySent = possiblySent;
        this.entry = entry;
        this.envelope = envelope;
        this.payload = payload;
        attemptNumber = attempt;
        this.readable = readable;
    }

    /** An entry whose payload nobody can read. */
    static <T> EntryDelivery<T> unreadable(String queue, OutboxEvent.Delivered entry, EntryEnvelope envelope) {
        return new EntryDelivery<>(queue, entry, envelope, null, false, 1, entry.possiblySent());
    }

    /** Before a handler gets it that keeps it. */
    void heldBy(Hold by, EntryInHand inHand) {
        hold = by;
        attempt = inHand;
        hand = inHand.hand();
    }

    /**
     * What a handler keeps.
     *
     * @throws IllegalArgumentException if that is not for this hold to end
     */
    EntryInHand heldFor(Hold by) {
        if (hold != by || attempt == null) {
            throw new IllegalArgumentException(this + " is not in this hold: end it with the hold that came with it");
        }
        return attempt;
    }

    int hand() {
        return hand;
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    @SuppressWarnings("NullAway") // null only when the codec itself says so
    public T payload() {
        if (!readable) {
            throw new IllegalStateException("the payload of entry " + id() + " in queue " + queue
                    + " cannot be read: the log of this node says why");
        }
        return payload;
    }

    @Override
    public EntryId id() {
        return entry.id();
    }

    @Override
    public int attempt() {
        return attemptNumber;
    }

    @Override
    public @Nullable NodeId adoptedFrom() {
        return entry.adoptedFrom();
    }

    @Override
    public boolean possiblySent() {
        return possiblySent || attemptNumber > 1;
    }

    @Override
    public Map<String, String> headers() {
        return envelope.headers();
    }

    @Override
    public @Nullable String producerKey() {
        return envelope.producerKey();
    }

    @Override
    public int size() {
        return entry.payload().length();
    }

    @Override
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(envelope.enqueuedAtMillis());
    }

    @Override
    public String toString() {
        return "Delivery[" + id() + ", attempt " + attemptNumber + "]";
    }
}
