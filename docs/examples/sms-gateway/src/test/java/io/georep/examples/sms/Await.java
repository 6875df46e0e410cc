package io.georep.examples.sms;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what happens on other threads; bounded. */
public final class Await {
    /** Far more than anything takes on a machine with nothing else to do. */
    public static final long SECONDS_MAX = 180;

    private static final long POLL_MILLIS = 5;

    private Await() {}

    /** Waits until the condition holds, and fails when it does not. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, SECONDS_MAX, POLL_MILLIS, condition);
    }

    /** The same for what takes longer, or costs something to look at. */
    public static void until(String what, long secondsMax, long pollMillis, BooleanSupplier condition) {
        long deadline = System.nanoTime() + secondsMax * 1_000_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited " + secondsMax + " s for: " + what);
            }
            LockSupport.parkNanos(pollMillis * 1_000_000);
        }
    }
}
