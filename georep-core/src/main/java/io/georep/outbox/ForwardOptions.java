package io.georep.outbox;

import io.georep.model.ConfigurationException;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Settings of one forwarding; every method answers the options. Not thread-safe. */
public final class ForwardOptions {
    private int concurrency = 1;
    private @Nullable Executor executor;
    private int window = 100;
    private int batchMax = 100;
    private int parkedMax = 1_000_000;
    private int parkedPayloadsMax = 10_000;
    private Retry retry = Retry.defaults();
    private @Nullable RandomGenerator random;
    private boolean paused;

    public ForwardOptions() {}

    /** Handler calls at the same time, 1 to 10 000; default 1. */
    public ForwardOptions concurrency(int calls) {
        concurrency = between("concurrency", calls, 1, 10_000);
        return this;
    }

    /**
     * Where handlers run, for example virtual threads; default: as many own threads as {@link #concurrency}. The
     * executor gets one task per burst of work and handler at a time, not one per entry, and is not shut down. When it
     * refuses a task, fails, or has not begun it after ten seconds, the task is offered again.
     * {@code Runnable::run} runs the handler on the node's application thread: cheapest, and only for handlers that
     * never block.
     */
    public ForwardOptions executor(Executor value) {
        executor = Objects.requireNonNull(value, "executor");
        return this;
    }

    /** Entries that may be ready for the handler or in its hands, 1 to 1 000 000; default 100 (gap G24). */
    public ForwardOptions window(int entries) {
        window = between("window", entries, 1, 1_000_000);
        return this;
    }

    /** Most entries in one call of a batch handler, 1 to 100 000; default 100. */
    public ForwardOptions batchMax(int entries) {
        batchMax = between("batchMax", entries, 1, 100_000);
        return this;
    }

    /**
     * Entries that may wait here for their delay or next attempt, 1 to 100 000 000; default 1 000 000. When as many wait,
     * the node hands over no more until some are done.
     */
    public ForwardOptions parkedMax(int entries) {
        parkedMax = between("parkedMax", entries, 1, 100_000_000);
        return this;
    }

    /** Waiting entries whose payload stays in memory, from 0; default 10 000. Others are read again from the store. */
    public ForwardOptions parkedPayloadsMax(int entries) {
        parkedPayloadsMax = between("parkedPayloadsMax", entries, 0, 100_000_000);
        return this;
    }

    /** What happens after a failure; default {@link Retry#defaults()}. */
    public ForwardOptions retry(Retry value) {
        retry = Objects.requireNonNull(value, "retry");
        return this;
    }

    /** Source of the jitter, used under a lock; default seeded from the system. */
    public ForwardOptions random(RandomGenerator value) {
        random = Objects.requireNonNull(value, "random");
        return this;
    }

    /** Starts paused: nothing is handed over before {@link Forwarding#resume()}. */
    public ForwardOptions paused() {
        paused = true;
        return this;
    }

    public int concurrency() {
        return concurrency;
    }

    @Nullable
    public Executor executor() {
        return executor;
    }

    public int window() {
        return window;
    }

    public int batchMax() {
        return batchMax;
    }

    public int parkedMax() {
        return parkedMax;
    }

    public int parkedPayloadsMax() {
        return parkedPayloadsMax;
    }

    public Retry retry() {
        return retry;
    }

    @Nullable
    public RandomGenerator random() {
        return random;
    }

    public boolean startsPaused() {
        return paused;
    }

    private static int between(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ConfigurationException(name + " is " + value + ", allowed are " + min + " to " + max);
        }
        return value;
    }
}
