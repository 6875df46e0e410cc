package io.georep.netty.internal.dial;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whose turn it is to dial. Attempts that are likely to succeed go at once, a few at a time. Those that
 * failed before wait in a line that is served slowly. So a thousand names of nodes that are gone cost no more than a
 * few, and no node that is there waits behind them. Confined to the control loop.
 */
public final class DialTurns {
    /** Attempts under way at one time. */
    static final int UNDER_WAY_MAX = 64;

    /** If so many attempts are under way, none is repeated: what is left is for first attempts. */
    static final int REPEATED_MAX = 32;

    /** Pause between two repeated attempts, to any address. */
    static final long REPEATED_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** An attempt that waits for its turn. */
    @FunctionalInterface
    public interface Attempt {
        /**
         * Begins, and returns true; returns false if it is no longer wanted. After it has begun, {@link
         * DialTurns#done} must be called once.
         */
        boolean begin();
    }

    private final EventExecutor control;
    private final ArrayDeque<Attempt> first = new ArrayDeque<>();
    private final ArrayDeque<Attempt> repeated = new ArrayDeque<>();
    private int underWay;
    private boolean pausing;
    private @Nullable ScheduledFuture<?> pause;
    private boolean serving;

    public DialTurns(EventExecutor control) {
        this.control = control;
    }

    /** Begins the attempt when its turn comes, which may be now. */
    public void enter(boolean failedBefore, Attempt attempt) {
        (failedBefore ? repeated : first).add(attempt);
        serve();
    }

    /** An attempt has ended. */
    public void done() {
        underWay--;
        serve();
    }

    private void serve() {
        if (serving) {
            return;
        }
        serving = true;
        try {
            while (underWay < UNDER_WAY_MAX && !first.isEmpty()) {
                begin(first.remove());
            }
            while (!pausing && underWay < REPEATED_MAX && !repeated.isEmpty()) {
                if (begin(repeated.remove())) {
                    pausing = true;
                    pause = control.schedule(this::pauseOver, REPEATED_PAUSE_NANOS, TimeUnit.NANOSECONDS);
                }
            }
        } finally {
            // An attempt that throws, for lack of memory perhaps, must not end all others.
            serving = false;
        }
    }

    /** Goes on if nothing else would, because memory was short when the pause began. */
    public void look() {
        if (pausing && (pause == null || pause.isDone())) {
            pauseOver();
        }
    }

    private boolean begin(Attempt attempt) {
        underWay++;
        boolean began = attempt.begin();
        if (!began) {
            underWay--;
        }
        return began;
    }

    private void pauseOver() {
        pausing = false;
        pause = null;
        serve();
    }
}
