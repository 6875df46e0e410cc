package io.georep.outbox;

import io.georep.model.ConfigurationException;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Settings of one forwarding. Each setter returns the options themselves. Not thread-safe. */
public final class ForwardOptions {
    private int concurrency = 1;
    private @Nullable Executor executor;
    private int window = 100;
    private long windowBytes = Long.MAX_VALUE;
    private int batchMax = 100;
    private int parkedMax = 1_000_000;
    private long parkedBytesMax = 4 << 20;
    private Retry retry = Retry.defaults();
    private @Nullable RandomGenerator random;
    private boolean paused;

    public ForwardOptions() {}

    /** Sets how many handler calls run at the same time, 1 to 10 000; default 1. */
    public ForwardOptions concurrency(int calls) {
        concurrency = between("concurrency", calls, 1, 10_000);
        return this;
    }

    /**
     * Sets where handlers run, for example on virtual threads. Default: the outbox has as many threads of its own as {@link
     * #concurrency} says.
     *
     * <p>The executor gets one task for each burst of work, not one for each entry. Nobody shuts it down. If it refuses
     * a task, fails, or has not begun the task after ten seconds, it is offered the task again. {@code Runnable::run}
     * runs the handler on the application thread of the outboxes. This is the cheapest way, and only for handlers that
     * never block.
     */
    public ForwardOptions executor(Executor value) {
        executor = Objects.requireNonNull(value, "executor");
        return this;
    }

    /** Sets how many entries may be ready for the handler or in its hands, 1 to 1 000 000; default 100. */
    public ForwardOptions window(int entries) {
        window = between("window", entries, 1, 1_000_000);
        return this;
    }

    /**
     * Sets how many bytes the entries may have that are ready for the handler or in its hands, from 1; by default only {@link
     * #window} bounds them. The entry that reaches this size is the last one, so together they may be larger by that one. Entries
     * that wait for their next attempt do not count. See {@link Delivery#size}.
     */
    public ForwardOptions windowBytes(long bytes) {
        if (bytes < 1) {
            throw new ConfigurationException("windowBytes is " + bytes + ", allowed are numbers from 1");
        }
        windowBytes = bytes;
        return this;
    }

    /** Sets how many entries a batch handler gets at most in one call, 1 to 100 000; default 100. */
    public ForwardOptions batchMax(int entries) {
        batchMax = between("batchMax", entries, 1, 100_000);
        return this;
    }

    /**
     * Sets how many entries may wait here for their delay or their next attempt, 1 to 100 000 000; default 1 000 000. While that
     * many wait, the node hands over no more.
     */
    public ForwardOptions parkedMax(int entries) {
        parkedMax = between("parkedMax", entries, 1, 100_000_000);
        return this;
    }

    /**
     * Sets how many bytes of memory the payloads of waiting entries may take, from 0; default 4 MiB. The payloads of the others
     * are given up and read again from the store. Their retries wait up to a sixteenth of the delay longer, at most 2.2 s, so
     * that one read serves many.
     */
    public ForwardOptions parkedBytesMax(long bytes) {
        if (bytes < 0) {
            throw new ConfigurationException("parkedBytesMax is " + bytes + ", allowed are numbers from 0");
        }
        parkedBytesMax = bytes;
        return this;
    }

    /** Sets what happens after the handler failed; default {@link Retry#defaults()}. */
    public ForwardOptions retry(Retry value) {
        retry = Objects.requireNonNull(value, "retry");
        return this;
    }

    /** Sets the source of randomness for the jitter. It is used under a lock. Default: seeded from the system. */
    public ForwardOptions random(RandomGenerator value) {
        random = Objects.requireNonNull(value, "random");
        return this;
    }

    /** Starts paused: the handler gets nothing before {@link Forwarding#resume()}. */
    public ForwardOptions paused() {
        paused = true;
        return this;
    }

    /** Returns what was set so far. */
    public Values values() {
        return new Values(
                concurrency, executor, window, windowBytes, batchMax, parkedMax, parkedBytesMax, retry, random, paused);
    }

    /** The settings of one forwarding, named like the methods that set them; null stands for the default. */
    public record Values(
            int concurrency,
            @Nullable Executor executor,
            int window,
            long windowBytes,
            int batchMax,
            int parkedMax,
            long parkedBytesMax,
            Retry retry,
            @Nullable RandomGenerator random,
            boolean paused) {}

    private static int between(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ConfigurationException(name + " is " + value + ", allowed are " + min + " to " + max);
        }
        return value;
    }
}
