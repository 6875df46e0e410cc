package io.georep.spring.connect;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The call that one thread is making in a plugin. A call may never return, for example in a driver that waits for a
 * server that is gone. The thread cannot report that itself, so others ask {@link #problem}, and the log says once
 * where the thread is. Thread-safe; one thread begins and ends calls.
 */
final class PluginCalls {
    private static final Logger LOG = LoggerFactory.getLogger(PluginCalls.class);

    private final String who;
    private final long warnAfterMillis;
    private final AtomicBoolean looks = new AtomicBoolean();
    private volatile @Nullable Call call;

    private record Call(String name, Thread thread, long sinceNanos) {
        long millis() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
        }
    }

    /** {@code who}: what the log calls the thread; a call is told when it lasts so long. */
    PluginCalls(String who, long warnAfterMillis) {
        this.who = who;
        this.warnAfterMillis = warnAfterMillis;
    }

    /** Notes that a call of the plugin begins. */
    void begin(String name) {
        call = new Call(name, Thread.currentThread(), System.nanoTime());
        lookLater();
    }

    /**
     * The call has returned or thrown. Some clients interrupt the thread that calls them, to end a call in time, and
     * leave the mark set. The host interrupts nobody, so the mark is theirs, and it must not end the next wait of the
     * thread.
     */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    void end() {
        call = null;
        Thread.interrupted();
    }

    /** What is called; it may throw. */
    @FunctionalInterface
    interface Action<V extends @Nullable Object, E extends Exception> {
        V call() throws E;
    }

    /** Calls the plugin. */
    <V extends @Nullable Object, E extends Exception> V during(String name, Action<V, E> action) throws E {
        begin(name);
        try {
            return action.call();
        } finally {
            end();
        }
    }

    /** Plans a look, of which at most one is planned at a time, however many calls there are. */
    private void lookLater() {
        if (looks.compareAndSet(false, true)) {
            Plugins.later(warnAfterMillis, this::look);
        }
    }

    private void look() {
        looks.set(false);
        Call now = call;
        if (now == null) {
            return; // the next call looks
        }
        if (now.millis() < warnAfterMillis) {
            lookLater();
            return;
        }
        Throwable where = new Throwable("the thread is here");
        where.setStackTrace(now.thread().getStackTrace());
        LOG.warn("{}: {} has not returned for {} ms", who, now.name(), now.millis(), where);
    }

    /** Returns what an operator should know; null for nothing. */
    @Nullable
    String problem() {
        Call now = call;
        long millis = now == null ? 0 : now.millis();
        return now == null || millis < warnAfterMillis
                ? null
                : now.name() + " has not returned for " + millis / 1_000 + " s (the log says where it is)";
    }
}
