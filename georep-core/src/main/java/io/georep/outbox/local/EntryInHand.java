package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.outbox.core.messages.OutboxEvent;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** An entry between its delivery and its end. The thread that holds it owns it; two threads never do. */
final class EntryInHand {
    private static final AtomicIntegerFieldUpdater<EntryInHand> HAND =
            AtomicIntegerFieldUpdater.newUpdater(EntryInHand.class, "hand");

    final EntryId id;

    /** Null while parked without its payload. */
    OutboxEvent.@Nullable Delivered entry;

    /** Its size; it stays when the payload does not. */
    final int bytes;

    /** Whether a handler was called with it since it was handed out. */
    boolean called;

    /** Number of the last recall before it was handed out. */
    int recallsSeen;

    /** Handler calls that failed so far. */
    int failures;

    /** When it is due again, while parked. */
    long dueNanos;

    /** Keeps entries with the same due time in order, while parked. */
    long order;

    /** When it failed together with others, as {@link PoisonIsolation} counts; 0 for never. */
    long suspectedIn;

    /** Whether the log tells of a failure. */
    boolean failureTold;

    /** Whether adoption was announced, which happens once. */
    boolean announced;

    /** Whether it may end after the handler's return, on any thread. */
    boolean kept;

    /** Number of the present time in hands. It changes when a worker takes the entry, and when that time ends. */
    private volatile int hand;

    EntryInHand(OutboxEvent.Delivered entry) {
        this.id = entry.id();
        this.entry = entry;
        this.bytes = entry.payload().length();
        this.failures = entry.attempts();
    }

    /** A worker takes it into its hands. */
    void taken() {
        kept = false;
        // No atomic step is needed: while no worker holds the entry, nobody else changes the number.
        HAND.lazySet(this, hand + 1);
    }

    int hand() {
        return hand;
    }

    /**
     * Ends this time in hands; returns false if it has ended before, because a handler that keeps an entry may end it
     * twice.
     */
    boolean ends(int thisTime) {
        return HAND.compareAndSet(this, thisTime, thisTime + 1);
    }
}
