package io.georep;

import io.georep.codec.EntryEnvelope;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.OutboxEvent;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One attempt as the handler sees it. */
final class EntryDelivery<T> implements Delivery<T> {
    private final OutboxEvent.Delivered entry;
    private final EntryEnvelope envelope;
    private final T payload;
    private final int attempt;
    private final boolean possiblySent;

    EntryDelivery(OutboxEvent.Delivered entry, EntryEnvelope envelope, T payload, int attempt, boolean possiblySent) {
        this.possiblySent = possiblySent;
        this.entry = entry;
        this.envelope = envelope;
        this.payload = payload;
        this.attempt = attempt;
    }

    @Override
    public T payload() {
        return payload;
    }

    @Override
    public EntryId id() {
        return entry.id();
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public @Nullable NodeId adoptedFrom() {
        return entry.adoptedFrom();
    }

    @Override
    public boolean possiblySent() {
        return possiblySent || attempt > 1;
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
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(envelope.enqueuedAtMillis());
    }

    @Override
    public String toString() {
        return "Delivery[" + id() + ", attempt " + attempt + "]";
    }
}
