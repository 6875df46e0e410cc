package io.georep;

import org.jetbrains.lincheck.Lincheck;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario of a few threads under schedules of a model checker, which switches threads at every access to shared
 * memory. A failing run prints the schedule. It explores {@code -Dgeorep.schedules} of them per scenario, a bounded number
 * without that.
 */
public final class ModelChecker {
    private static final int SCHEDULES = Integer.getInteger("georep.schedules", 200);

    private ModelChecker() {}

    /** Runs the scenario under as many schedules as allowed; it fails by throwing, or when nobody can go on. */
    public static void everySchedule(Runnable scenario) {
        Lincheck.runConcurrentTest(SCHEDULES, scenario);
    }

    /** Like {@link #everySchedule} for a scenario with so much code that each schedule takes long. */
    public static void someSchedules(Runnable scenario) {
        Lincheck.runConcurrentTest(Math.max(1, SCHEDULES / 5), scenario);
    }

    /** Fails the scenario unless this holds; assertion libraries do not bear being run under the checker. */
    public static void check(boolean holds, Object otherwise) {
        if (!holds) {
            throw new AssertionError(String.valueOf(otherwise));
        }
    }

    /**
     * Sleep without a time-out and without waking for nothing: the checker takes parking for a turn of a loop, and so would
     * never see that a wake-up was lost.
     */
    public static final class Sleep {
        private boolean woken;

        /** Blocks until woken, before or from now on. */
        public synchronized void untilWoken() {
            try {
                while (!woken) {
                    wait();
                }
                woken = false;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** Wakes this thread, if it has said who it is. */
        public synchronized void wake(@Nullable Thread sleeper) {
            if (sleeper != null) {
                woken = true;
                notifyAll();
            }
        }
    }

    /** Starts another thread of a scenario. */
    public static Thread start(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    /** Waits for a thread of a scenario. */
    public static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
