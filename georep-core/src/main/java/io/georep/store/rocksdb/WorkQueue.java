package io.georep.store.rocksdb;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hands work from any thread to one consumer. Producers push work onto a lock-free stack; the consumer takes the
 * whole stack at once and reverses it. So taking everything costs one atomic operation, however much is queued, and a
 * push wakes the consumer only if it sleeps.
 */
class WorkQueue {
    /** Something to do; a link in the queue, so it can be in one queue once. */
    abstract static class Work {
        @Nullable
        Work next;
    }

    private final AtomicReference<@Nullable Work> top = new AtomicReference<>();
    private final AtomicBoolean isAsleep = new AtomicBoolean();
    private volatile @Nullable Thread consumer;

    /** Adds work at the end; any thread. */
    void push(Work work) {
        Work before;
        do {
            before = top.get();
            work.next = before;
        } while (!top.compareAndSet(before, work));
        // The consumer declares itself asleep before it looks at the stack a last time, so one of the two sees the
        // other.
        if (isAsleep.get() && isAsleep.compareAndSet(true, false)) {
            wake(consumer);
        }
    }

    /** Takes everything, linked in the order it was pushed; null when there is nothing. Consumer only. */
    @Nullable
    Work drain() {
        Work newest = top.getAndSet(null);
        Work oldest = null;
        while (newest != null) {
            Work older = newest.next;
            newest.next = oldest;
            oldest = newest;
            newest = older;
        }
        return oldest;
    }

    /** Sleeps until there is work or this much time has passed; may return early. Consumer only. */
    void await(long nanosMax) {
        consumer = Thread.currentThread();
        isAsleep.set(true);
        if (top.get() == null) {
            sleep(nanosMax);
            // An interrupt means nothing here. If it stayed set, the consumer could not sleep any more.
            Thread.interrupted();
        }
        isAsleep.set(false);
    }

    /** Blocks the consumer until it is woken or the time is over; what a model checker sees as blocking is another. */
    void sleep(long nanosMax) {
        LockSupport.parkNanos(this, nanosMax);
    }

    /** Ends this or the next {@link #sleep} of the consumer. */
    void wake(@Nullable Thread sleeper) {
        LockSupport.unpark(sleeper);
    }
}
