package io.georep.runtime;

import java.util.concurrent.locks.LockSupport;

/** Steps of a node's end that must be made whatever happens. */
public final class Insistence {
    private static final int END_ATTEMPTS = 100;
    private static final long END_PAUSE_NANOS = 100_000_000L;

    private Insistence() {}

    /** Repeats a step that fails: what could not be done for lack of memory can be when others have died of it. */
    public static void on(Runnable step) {
        for (int attempt = 1; !quietly(step) && attempt < END_ATTEMPTS; attempt++) {
            LockSupport.parkNanos(END_PAUSE_NANOS);
        }
    }

    /** Makes a step whose failure changes nothing; answers whether it succeeded. */
    static boolean quietly(Runnable step) {
        try {
            step.run();
            return true;
        } catch (Throwable e) {
            return false;
        }
    }
}
