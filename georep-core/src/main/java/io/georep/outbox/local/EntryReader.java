package io.georep.outbox.local;

import io.georep.codec.MalformedException;
import io.georep.logging.LimitedLog;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bytes of an entry on their way to the handler, and the callbacks an outbox runs for them. Thread-safe. */
final class EntryReader<T> {
    private static final Logger LOG = LoggerFactory.getLogger(EntryReader.class);

    /** Stands for an envelope that cannot be read. */
    private static final EntryEnvelope UNREADABLE = new EntryEnvelope(0, 0, 0, Map.of(), null, Slice.EMPTY);

    private final String queue;
    private final PayloadCodec<T> codec;
    private final LimitedLog failures = new LimitedLog(LOG);
    private final List<Consumer<Adoption<T>>> onAdoption = new CopyOnWriteArrayList<>();
    private final List<Consumer<Delivery<T>>> onExpired = new CopyOnWriteArrayList<>();

    EntryReader(String queue, PayloadCodec<T> codec) {
        this.queue = queue;
        this.codec = codec;
    }

    void onAdoption(Consumer<Adoption<T>> callback) {
        onAdoption.add(callback);
    }

    void onExpired(Consumer<Delivery<T>> callback) {
        onExpired.add(callback);
    }

    /** Returns the delivery of this attempt. */
    EntryDelivery<T> delivery(
            OutboxEvent.Delivered entry, EntryEnvelope envelope, int attempt, @Nullable RepetitionCause cause)
            throws Exception {
        return new EntryDelivery<>(queue, entry, envelope, codec.decode(envelope.body()), attempt, cause);
    }

    /** Returns the payload alone; null when it cannot be read. */
    @Nullable
    T payloadOrNull(Slice bytes) {
        try {
            return codec.decode(EntryEnvelope.decode(bytes).body());
        } catch (Throwable e) {
            failures.error("Queue {}: the payload of a dead letter cannot be read", queue, e);
            return null;
        }
    }

    /**
     * Returns deliveries of all these entries. Somebody has to decide on each, whether its payload can be read or not.
     */
    List<Delivery<T>> undecided(List<OutboxEvent.Delivered> entries) {
        List<Delivery<T>> deliveries = new ArrayList<>(entries.size());
        for (OutboxEvent.Delivered entry : entries) {
            EntryEnvelope envelope = UNREADABLE;
            try {
                envelope = envelope(entry);
                deliveries.add(delivery(entry, envelope, 1, entry.cause()));
            } catch (Throwable e) {
                deliveries.add(EntryDelivery.unreadable(queue, entry, envelope));
                failures.error("Queue {}: the payload of undecided entry {} cannot be read", queue, entry.id(), e);
            }
        }
        return deliveries;
    }

    void announceAdoption(OutboxEvent.Delivered entry, EntryDelivery<T> delivery, NodeId from) {
        if (onAdoption.isEmpty()) {
            return;
        }
        Adoption<T> adoption = new Adoption<>(delivery, from, entry.epoch(), entry.possiblySent());
        for (Consumer<Adoption<T>> callback : onAdoption) {
            guarded("onAdoption", callback, adoption);
        }
    }

    /** Tells that an entry is dropped. It must still have its payload, or the application could not recognise it. */
    void announceExpiry(OutboxEvent.Delivered entry, EntryEnvelope envelope, int attempt) {
        if (onExpired.isEmpty()) {
            return;
        }
        EntryDelivery<T> delivery;
        try {
            delivery = delivery(entry, envelope, attempt, entry.cause());
        } catch (Throwable e) {
            failures.error("Queue {}: the payload of expired entry {} cannot be read", queue, entry.id(), e);
            return;
        }
        for (Consumer<Delivery<T>> callback : onExpired) {
            guarded("onExpired", callback, delivery);
        }
    }

    static EntryEnvelope envelope(OutboxEvent.Delivered entry) throws MalformedException {
        return EntryEnvelope.decode(entry.payload());
    }

    private <A> void guarded(String what, Consumer<A> callback, A argument) {
        try {
            callback.accept(argument);
        } catch (Throwable e) {
            failures.error("Queue {}: {} failed for {}", queue, what, argument, e);
        }
    }
}
