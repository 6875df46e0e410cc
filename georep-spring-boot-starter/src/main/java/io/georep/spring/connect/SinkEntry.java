package io.georep.spring.connect;

import io.georep.outbox.Delivery;
import java.util.concurrent.CompletableFuture;

/**
 * An entry in the hands of a sink. It stays there until the sink has flushed it, so that it can be handed to the sink again. The
 * first end counts.
 */
final class SinkEntry {
    private final Delivery<?> delivery;
    private final byte[] payload;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private long offset = -1;

    SinkEntry(Delivery<?> delivery, byte[] payload) {
        this.delivery = delivery;
        this.payload = payload;
    }

    Delivery<?> delivery() {
        return delivery;
    }

    /** The bytes of the payload; not to be changed. */
    byte[] payload() {
        return payload;
    }

    /** Its size in bytes, as the outbox counts. */
    int size() {
        return delivery.size();
    }

    /** The name of the outbox, which is the topic before any transformation. */
    String topic() {
        return delivery.queue();
    }

    /** Its offset in the partition of the task that took it; -1 before that. */
    long offset() {
        return offset;
    }

    void offset(long value) {
        offset = value;
    }

    /** Ends when the entry needs no more forwarding. */
    CompletableFuture<Void> end() {
        return end;
    }

    /** Whether nobody has to forward it any more: it is forwarded, or set aside. */
    boolean ended() {
        return end.isDone();
    }
}
