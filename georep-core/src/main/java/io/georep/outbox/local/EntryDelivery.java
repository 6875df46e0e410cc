package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.messages.OutboxEvent;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One attempt as the handler sees it. */
final class EntryDelivery<T> implements Delivery<T> {
    private final String queue;
    private final OutboxEvent.Delivered entry;
    private final EntryEnvelope envelope;
    private final @Nullable T payload;
    private final int attempt;
    private final @Nullable RepetitionCause cause;
    private final boolean readable;

    private @Nullable EntryInHand inHand;

    /** How often the handler has had the entry in this attempt, this time included. */
    private int hand;

    /** The handler's call; null if no handler got it. */
    private HandlerCalls.@Nullable Call call;

    private boolean kept;
    private boolean done;

    EntryDelivery(
            String queue,
            OutboxEvent.Delivered entry,
            EntryEnvelope envelope,
            T payload,
            int attempt,
            @Nullable RepetitionCause cause) {
        this(queue, entry, envelope, payload, true, attempt, cause);
    }

    private EntryDelivery(
            String queue,
            OutboxEvent.Delivered entry,
            EntryEnvelope envelope,
            @Nullable T payload,
            boolean readable,
            int attempt,
            @Nullable RepetitionCause cause) {
        this.queue = queue;
        this.cause = attempt > 1 ? RepetitionCause.ATTEMPTED : cause;
        this.entry = entry;
        this.envelope = envelope;
        this.payload = payload;
        this.attempt = attempt;
        this.readable = readable;
    }

    /** Returns the entry, if its payload cannot be read. */
    static <T> EntryDelivery<T> unreadable(String queue, OutboxEvent.Delivered entry, EntryEnvelope envelope) {
        return new EntryDelivery<>(queue, entry, envelope, null, false, 1, entry.cause());
    }

    /** The entry is ready for the handler. */
    void of(EntryInHand ready) {
        inHand = ready;
        hand = ready.hand();
    }

    EntryInHand inHand() {
        return Objects.requireNonNull(inHand);
    }

    /** The handler gets it. */
    void handedTo(HandlerCalls.Call of) {
        inHand().called = true;
        call = of;
    }

    HandlerCalls.Call call() {
        if (call == null) {
            throw new IllegalStateException(this + " is in no handler's hands");
        }
        return call;
    }

    /** Returns who ends it if it is kept; null if no handler got it. */
    @Nullable
    Hold hold() {
        return call == null ? null : call.hold();
    }

    /** Returns whether it ends later than with the return of the handler. */
    boolean kept() {
        return kept;
    }

    /** Returns whether its stage had completed well when the handler gave it. */
    boolean done() {
        return done;
    }

    @Override
    public void endsWith(CompletionStage<?> end) {
        HandlerCalls.Call by = callAtWork();
        if (!kept
                && end instanceof CompletableFuture<?> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            done = true; // it can as well end with the return
            return;
        }
        keep();
        by.endsWith(this, end);
    }

    @Override
    public Hold keep() {
        HandlerCalls.Call by = callAtWork();
        inHand().kept = true;
        kept = true;
        return by.hold();
    }

    private HandlerCalls.Call callAtWork() {
        HandlerCalls.Call by = call();
        if (inHand().hand() != hand) {
            throw new IllegalStateException(this + " has ended: keep it before the handler returns");
        }
        return by;
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
        return attempt;
    }

    @Override
    public @Nullable NodeId adoptedFrom() {
        return entry.adoptedFrom();
    }

    @Override
    public boolean possiblySent() {
        return cause != null;
    }

    /** Returns why somebody may have forwarded it before; null if nobody can have. */
    @Nullable
    RepetitionCause cause() {
        return cause;
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
        return "Delivery[" + id() + ", attempt " + attempt + "]";
    }
}
