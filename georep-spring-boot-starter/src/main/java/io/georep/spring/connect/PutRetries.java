package io.georep.spring.connect;

import java.util.concurrent.TimeUnit;

/** When a batch that a sink did not take is put again, and how often that has to be told. For the thread of the task. */
final class PutRetries {
    private static final long FIRST_MILLIS = 100;
    private static final long PAUSE_MILLIS_MAX = 10_000;

    private int ofThisBatch;
    private int told;
    private long dueAtNanos;

    /** Begins anew with a new life of the task. */
    void clear() {
        ofThisBatch = 0;
        told = 0;
    }

    /**
     * Notes that the sink did not take the batch. A sink that wants no pause gets a tenth of the host's, which is 100 ms at most.
     *
     * @param askedMillis the pause that the sink wants; negative if it says nothing
     * @return how many attempts have failed since a batch needed one attempt
     */
    int failed(long askedMillis) {
        long own = FIRST_MILLIS << Math.min(ofThisBatch++, 7);
        long pause = askedMillis < 0 ? Math.min(own, PAUSE_MILLIS_MAX) : Math.max(askedMillis, Math.min(100, own / 10));
        dueAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
        return ++told;
    }

    /** Notes that the sink took a batch. Returns whether it had refused it before. */
    boolean succeeded() {
        boolean again = ofThisBatch > 0;
        if (!again) {
            told = 0;
        }
        ofThisBatch = 0;
        return again;
    }

    /** Returns how long the next put has to wait; not above 0 if it is to be done now. */
    long leftNanos() {
        return ofThisBatch == 0 ? 0 : dueAtNanos - System.nanoTime();
    }
}
