package io.georep.bench.micro;

import java.util.concurrent.TimeUnit;

/** Counts entries, and waits for a number of them. Thread-safe. */
final class EntryCount {
    private static final long WAIT_SECONDS = 30;

    private long count;
    private long awaited = Long.MAX_VALUE;

    /** Adds so many. */
    synchronized void add(int entries) {
        count += entries;
        if (count >= awaited) {
            notifyAll();
        }
    }

    /**
     * Waits until there are so many; for one thread at a time.
     *
     * @throws IllegalStateException when they do not come within 30 s
     */
    synchronized void await(long number) throws InterruptedException {
        awaited = number;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (count < number) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(count + " entries came, not " + number);
            }
            wait(TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        }
    }

    /**
     * Requires that there are exactly so many.
     *
     * @throws IllegalStateException when there are others
     */
    synchronized void require(long number) {
        if (count != number) {
            throw new IllegalStateException(count + " entries came, " + number + " were sent");
        }
    }
}
