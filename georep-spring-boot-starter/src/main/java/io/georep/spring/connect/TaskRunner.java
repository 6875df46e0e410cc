package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import io.georep.spring.Connectors.State;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of one task. It begins the task again after a failure, with growing pauses, until it is told to stop. */
abstract class TaskRunner implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskRunner.class);

    /** The problem of a thread that failed while it handled a failure. */
    static final String UNTOLD = "a failure that could not even be handled: it is tried again each second";

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final String name;
    private final ConnectorSettings settings;
    private final PluginCalls calls;
    private volatile boolean stopping;
    private volatile boolean paused;
    private volatile State state = State.RESTARTING;
    private volatile @Nullable String problem;
    private final LongAdder failed;
    private final AtomicInteger failures = new AtomicInteger();
    private volatile String lastFailure = "";
    private volatile long runningSinceNanos;
    private final Thread thread;

    TaskRunner(TaskParts parts, boolean paused) {
        this.settings = parts.settings();
        this.name = settings.name() + "-" + parts.task();
        this.failed = parts.failures();
        this.paused = paused;
        this.calls = new PluginCalls("Task " + name, settings.callWarnMillis());
        thread = new Thread(this, "georep-connect-" + name);
        thread.setDaemon(true);
        thread.setContextClassLoader(parts.loader());
    }

    void begin() {
        thread.start();
    }

    @Override
    public final void run() {
        while (!stopping) {
            try {
                life();
            } catch (Throwable e) {
                // No memory for words about it, perhaps. No other thread starts this task.
                if (state != State.FAILED) {
                    failed.increment(); // else it was counted, and the words about it failed
                }
                problem = UNTOLD;
                state = State.FAILED;
                calls.end(); // a mark that a plugin left would end the pause at once
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
        }
        state = State.STOPPED;
    }

    private void life() {
        state = State.RESTARTING;
        calls.begin("start"); // its converters are configured, too, and may wait for a server
        try {
            session();
        } catch (Throwable e) {
            calls.end();
            failed(e);
        }
        calls.end();
    }

    /** Runs one life of the task, until {@link #stopping}. Its start has begun as a call of the plugin; the session ends this call. */
    abstract void session() throws Exception;

    /** Ends what the task waits for, on any thread. */
    abstract void wakeUp();

    private void failed(Throwable error) {
        if (stopping) {
            SafeLog.log(LOG, "Task {} failed while it stopped", name, error);
            return;
        }
        failed.increment();
        state = State.FAILED;
        long delay = settings.restartDelayMillis(failures.getAndIncrement());
        lastFailure = ErrorKind.of(error);
        problem = lastFailure + ": the task is started again in at most " + delay + " ms";
        SafeLog.log(LOG, "Task {} failed; it is started again in {} ms", name, delay, error);
        try {
            waitMillis(delay);
        } catch (InterruptedException e) {
            LOG.debug("Task {} is started again early: a plugin interrupted the pause", name, e);
        }
    }

    /** Notes that the task runs. That it has started does not mean yet that it makes progress. */
    final void running() {
        state = paused ? State.PAUSED : State.RUNNING;
        runningSinceNanos = System.nanoTime();
        recovered();
    }

    /** Notes that nothing new keeps the task from making progress. After earlier failures this does not count as progress yet. */
    final void recovered() {
        int before = failures.get();
        problem = before == 0
                ? null
                : "it was started again after " + before + " failures in a row, the last with " + lastFailure
                        + ", and has made no progress since";
    }

    /** Notes that the task has no work left at which it had failed. If it lives longer than any pause, its failures are over. */
    final void idle() {
        if (failures.get() != 0
                && System.nanoTime() - runningSinceNanos
                        > TimeUnit.MILLISECONDS.toNanos(settings.restartDelayMaxMillis())) {
            progressed();
        }
    }

    /** Notes progress of a task that had failed before. Any thread. */
    final void overcame() {
        if (failures.get() != 0) {
            progressed();
        }
    }

    /** Notes progress: the next failure counts as the first one again. */
    final void progressed() {
        if (failures.get() != 0 || problem != null) {
            failures.set(0);
            problem = null;
        }
    }

    /** Notes what keeps the running task from making progress, until it has {@link #recovered}. */
    final void problem(String text) {
        if (!text.equals(problem)) {
            LOG.warn("Task {}: {}", name, text);
        }
        problem = text;
    }

    /** The same for what happens again and again: the log tells it at powers of two, with the error. */
    final void problem(String text, int times, Throwable error) {
        if (Integer.bitCount(times) == 1) {
            LOG.warn("Task {}: {} ({} times so far)", name, text, times, error);
        }
        problem = text;
    }

    /**
     * Returns what the thread of the task calls. What is still open when this life of the task ends is closed then.
     */
    final PluginCalls calls() {
        return calls;
    }

    /** Returns what an operator should know; null for nothing. */
    @Nullable
    String problem() {
        String call = calls.problem();
        return call == null ? problem : call;
    }

    State state() {
        return state;
    }

    /** Returns how many records are in its hands. Any thread. */
    abstract int pending();

    final String name() {
        return name;
    }

    final boolean stopping() {
        return stopping;
    }

    final boolean paused() {
        return paused;
    }

    void pause(boolean value) {
        paused = value;
        if (state == State.RUNNING || state == State.PAUSED) {
            state = value ? State.PAUSED : State.RUNNING;
        }
        wake();
    }

    /** Tells the task to stop; does not wait. */
    void stop() {
        stopping = true;
        wake();
    }

    /** After {@link #stop}: whether the thread has ended in this time. */
    boolean awaitEnd(long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        wakeUp();
    }

    /** Waits; true if this life of the task is to end. */
    final boolean waitMillis(long millis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lockInterruptibly();
        try {
            while (!stopping && left > 0) {
                left = changed.awaitNanos(left);
            }
            return stopping;
        } finally {
            lock.unlock();
        }
    }

    /** Waits while it is paused. */
    final void waitWhilePaused() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping && paused) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }
}
