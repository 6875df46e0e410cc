package io.georep.runtime;

import java.util.concurrent.locks.LockSupport;

/**
 * A step of a node's end that must be taken whatever happens. The object is made in advance, because at the end there
 * may be no memory for it, nor for loading its class.
 */
public final class BestEffort {
    private static final int ATTEMPTS = 100;
    private static final long PAUSE_NANOS = 100_000_000L;

    private final Runnable step;

    public BestEffort(Runnable step) {
        this.step = step;
    }

    /** Repeats the step while it fails. What failed for lack of memory succeeds once others have given memory back. */
    public void carryOut() {
        for (int attempt = 1; !quietly(step) && attempt < ATTEMPTS; attempt++) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Makes a step whose failure changes nothing; returns whether it succeeded. */
    static boolean quietly(Runnable step) {
        try {
            step.run();
            return true;
        } catch (Throwable e) {
            return false;
        }
    }
}
