package io.georep.concurrent;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hands links of many threads to one consumer, in order per thread.
 *
 * <p>Intuition: producers push onto a stack with one compare-and-set. The consumer takes the whole stack at once and reads it
 * backwards. The head of the stack also says whether the consumer sleeps, so a producer learns that from the value it replaces:
 * it needs no signal, no lock and no second look at memory unless there is somebody to wake.
 *
 * <p>It has no bound of its own: producers must be bounded before they push.
 *
 * @param <L> what is handed over
 */
public class LinkedHandOff<L extends LinkedHandOff.Link<L>> {
    /**
     * Something that can be handed over; in one hand-off at a time.
     *
     * @param <L> the implementing class
     */
    public interface Link<L> {
        /** Returns what follows; null for nothing. */
        @Nullable
        L next();

        /** Sets what follows. */
        void next(@Nullable L link);
    }

    /** What became of something pushed. */
    public enum Pushed {
        /** Nothing waited before it. */
        FIRST,
        /** Others wait before it. */
        LATER,
        /** The consumer is gone. */
        REFUSED
    }

    private static final Object PARKED = new Object();
    private static final Object CLOSED = new Object();

    /** The newest link, or one of the marks above. */
    private final AtomicReference<@Nullable Object> head = new AtomicReference<>();

    /** Taken from the stack, oldest first. Only the consumer touches it. */
    private @Nullable L taken;

    private volatile @Nullable Thread consumer;

    /** Hands over one link. Any thread. Returns false if the consumer is gone. */
    public final boolean push(L link) {
        return push(link, link) != Pushed.REFUSED;
    }

    /** Hands over a chain of links, the newest first. Any thread. */
    public final Pushed push(L newest, L oldest) {
        Object before;
        do {
            before = head.get();
            if (before == CLOSED) {
                oldest.next(null); // it was not queued behind others after all
                return Pushed.REFUSED;
            }
            oldest.next(before == PARKED ? null : link(before));
        } while (!head.compareAndSet(before, newest));
        if (before == PARKED) {
            wake(consumer);
        }
        return before == null || before == PARKED ? Pushed.FIRST : Pushed.LATER;
    }

    @SuppressWarnings("unchecked") // the head is no mark
    private @Nullable L link(@Nullable Object of) {
        return (L) of;
    }

    /** Consumer: returns the oldest link and what follows it so far, or null; leaves it where it is. */
    public final @Nullable L peek() {
        if (taken == null && head.get() != null && head.get() != CLOSED) {
            taken = reversed(link(head.getAndSet(null)));
        }
        return taken;
    }

    /** Consumer: removes what {@link #peek} returned. */
    public final void remove() {
        L link = taken;
        if (link != null) {
            taken = link.next();
            link.next(null); // a consumed chain in the old generation must not keep its successors alive
        }
    }

    /** Consumer: removes and returns what is there now as a chain, the oldest first; null for nothing. */
    public final @Nullable L takeAll() {
        L all = peek();
        taken = null;
        return all;
    }

    /** Consumer: returns whether {@link #peek} would find nothing. */
    public final boolean isEmpty() {
        return taken == null && head.get() == null;
    }

    /** Consumer: sleeps until something is pushed or the time is over; may return early. */
    public final void await(long nanos) {
        if (nanos <= 0 || taken != null) {
            return;
        }
        consumer = Thread.currentThread();
        if (head.compareAndSet(null, PARKED)) {
            sleep(nanos);
            head.compareAndSet(PARKED, null);
            // An interrupt means nothing here. If it stayed set, the consumer could not sleep any more.
            Thread.interrupted();
        }
    }

    /**
     * Blocks the consumer until it is woken or the time is over. A test under a model checker overrides this, because
     * the checker does not see this kind of blocking.
     */
    protected void sleep(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    /** Ends this or the next {@link #sleep} of the consumer. */
    protected void wake(@Nullable Thread sleeper) {
        LockSupport.unpark(sleeper);
    }

    /** Consumer: refuses further links; {@link #peek} still finds those that were there. Needs no memory. */
    public void close() {
        Object stack = head.getAndSet(CLOSED);
        L rest = stack == PARKED || stack == CLOSED ? null : reversed(link(stack));
        L last = taken;
        if (last == null) {
            taken = rest;
            return;
        }
        for (L next = last.next(); next != null; next = last.next()) {
            last = next;
        }
        last.next(rest);
    }

    private static <N extends Link<N>> @Nullable N reversed(@Nullable N stack) {
        N oldest = null;
        N link = stack;
        while (link != null) {
            N next = link.next();
            link.next(oldest);
            oldest = link;
            link = next;
        }
        return oldest;
    }
}
