package io.georep.examples.sms;

import java.util.concurrent.TimeUnit;

/** Whether somebody answers slowly: from a slow answer on, until several in a row are quick. Not thread-safe. */
public final class Slowness {
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** After a slow answer, so many in a row must be quick. */
    private static final int QUICK_MIN = 10;

    private int quickWanted;

    /**
     * Starts without an answer.
     *
     * @param slow whether the first answer has to be quick
     */
    public Slowness(boolean slow) {
        quickWanted = slow ? 1 : 0;
    }

    /** Returns whether an answer that took so long is slow. */
    public static boolean isSlow(long nanos) {
        return nanos > SLOW_NANOS;
    }

    public boolean isSlow() {
        return quickWanted > 0;
    }

    /** An answer took so long. */
    public void answered(long nanos) {
        quickWanted = isSlow(nanos) ? QUICK_MIN : Math.max(0, quickWanted - 1);
    }
}
