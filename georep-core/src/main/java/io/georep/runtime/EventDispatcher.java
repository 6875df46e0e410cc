package io.georep.runtime;

import io.georep.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application thread. It gets what a turn tells the application as one batch, with at most one wake-up, and runs
 * the callbacks of the application, so that none runs on the thread of the driver.
 *
 * <p>After {@link #start} it handles events and tasks in the order in which they were handed over. {@link #stop} runs
 * what is queued and ends the thread.
 */
public final class EventDispatcher implements AppSink {
    /** What the application thread works for; called on it alone. */
    public interface Receiver {
        /** Events of one turn, in order. */
        void events(List<Object> events);

        /** Called after each burst of work and when {@link #nextDeadlineNanos} has come. */
        void time(long nowNanos);

        /** Returns when {@link #time} is wanted next; {@link Long#MAX_VALUE} for never. */
        long nextDeadlineNanos();

        /** A task broke off, and some of its work may be lost. Needs no memory. */
        default void failed(Throwable error) {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(EventDispatcher.class);
    private static final long SLEEP_MAX_NANOS = 60_000_000_000L;
    private static final int ITEMS_PER_PASS = 256;

    private final HandOff<Object> items;

    /** Never grows, so that handing out events needs no memory. */
    private final List<Object> pass = new ArrayList<>(ITEMS_PER_PASS);

    private final Ticker ticker;
    private final Thread thread;
    private final Receiver receiver;
    private boolean stopping;

    /** A dispatcher whose thread is not started yet. */
    public EventDispatcher(String threadName, Ticker ticker, Receiver receiver) {
        this(threadName, ticker, receiver, new HandOff<>());
    }

    EventDispatcher(String threadName, Ticker ticker, Receiver receiver, HandOff<Object> items) {
        this.items = items;
        this.ticker = ticker;
        this.receiver = receiver;
        this.thread = new Thread(this::run, threadName);
        this.thread.setDaemon(true);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    @Override
    public void accept(List<Object> events) {
        items.offer(events);
    }

    /**
     * Runs a task on the application thread soon, and returns true; returns false, and does not run it, if the
     * dispatcher is stopped.
     */
    public boolean execute(Runnable task) {
        return items.offer(task);
    }

    /** Returns whether the caller is the application thread. */
    public boolean onApplicationThread() {
        return Thread.currentThread() == thread;
    }

    /** Lets the thread finish what was handed over before, and ends it. Waits for that a bounded time. */
    public void stop(long millis) {
        items.offer((Runnable) () -> stopping = true);
        if (!onApplicationThread()) {
            join(millis);
        }
    }

    private void join(long millis) {
        boolean interrupted = false;
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!stopping) {
            try {
                if (!work()) {
                    sleep();
                }
            } catch (Throwable e) {
                logFailure(e);
            }
        }
        items.close();
        boolean more = true;
        while (more) {
            try {
                more = handleSome();
            } catch (Throwable e) {
                logFailure(e);
            }
        }
    }

    /** Returns whether there may be more to do. */
    private boolean work() {
        boolean busy = handleSome();
        try {
            receiver.time(ticker.nanos());
        } catch (Throwable e) {
            logFailure(e);
        }
        Thread.interrupted();
        return busy || stopping;
    }

    private boolean handleSome() {
        int count = items.drainTo(pass, ITEMS_PER_PASS);
        for (int i = 0; i < pass.size(); i++) { // needs no memory either
            handle(pass.get(i));
        }
        pass.clear();
        return count > 0;
    }

    private void sleep() {
        long nanos = SLEEP_MAX_NANOS;
        try {
            long deadline = receiver.nextDeadlineNanos();
            nanos = deadline == Long.MAX_VALUE ? SLEEP_MAX_NANOS : deadline - ticker.nanos();
        } catch (Throwable e) {
            logFailure(e);
        }
        items.await(Math.min(nanos, SLEEP_MAX_NANOS));
    }

    /** Handles events and tasks. What a callback of the application throws must not end the thread. */
    @SuppressWarnings("unchecked")
    private void handle(Object item) {
        try {
            if (item instanceof Runnable task) {
                task.run();
            } else {
                receiver.events((List<Object>) item);
            }
        } catch (Throwable e) {
            receiver.failed(e);
            logFailure(e);
        } finally {
            Thread.interrupted(); // an interrupt that one callback left behind must not end the next one's wait
        }
    }

    private static void logFailure(Throwable error) {
        try {
            LOG.error("A callback of the application failed; the node goes on", error);
        } catch (Throwable e) {
            // There is no memory or no stack left. Others wait for this thread, so it goes on in silence.
        }
    }
}
