package io.georep.spring.listener;

import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListeners;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps one listener forwarding. */
final class ListenerContainer<T> implements OutboxListeners.Container {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerContainer.class);

    private final Outbox<T> outbox;
    private final ListenerSettings settings;
    private final ListenerMethod method;
    private final HandlerAdvice advice;
    private final HandlerThreads threads;
    private @Nullable Forwarding forwarding;
    private @Nullable HandlerCalls<T> calls;

    ListenerContainer(
            Outbox<T> outbox,
            ListenerSettings settings,
            ListenerMethod method,
            HandlerAdvice advice,
            HandlerThreads threads) {
        this.outbox = outbox;
        this.settings = settings;
        this.method = method;
        this.advice = advice;
        this.threads = threads;
    }

    ListenerSettings settings() {
        return settings;
    }

    @Override
    public String id() {
        return settings.id();
    }

    @Override
    public String queue() {
        return settings.queue();
    }

    @Override
    public synchronized void start() {
        if (!running()) {
            HandlerCalls<T> fresh = new HandlerCalls<>(method, settings, advice);
            forwarding = begin(fresh);
            calls = fresh;
            LOG.info(
                    "Listener {} forwards queue {} with {} ({} at a time)",
                    id(),
                    queue(),
                    method,
                    settings.concurrency());
        }
    }

    private Forwarding begin(HandlerCalls<T> calls) {
        Executor executor = threads.virtualExecutor(settings.id());
        return settings.batch()
                ? outbox.forwardBatches(calls.batch(), options -> apply(options, executor))
                : outbox.forward(calls.single(), options -> apply(options, executor));
    }

    private void apply(ForwardOptions options, @Nullable Executor executor) {
        options.concurrency(settings.concurrency())
                .window(settings.window())
                .batchMax(settings.batchMax())
                .retry(settings.retry());
        if (executor != null) {
            options.executor(executor);
        }
    }

    @Override
    public boolean stop(Duration atMost) {
        takeNoMore();
        return awaitEnd(atMost);
    }

    /** Stops taking entries; waits for nothing. */
    void takeNoMore() {
        Forwarding current = forwarding();
        if (current != null && current.running()) {
            current.stop(Duration.ZERO);
            LOG.info("Listener {} of queue {} takes no more entries", id(), queue());
        }
    }

    private synchronized @Nullable Forwarding forwarding() {
        return forwarding;
    }

    private synchronized @Nullable HandlerCalls<T> calls() {
        return calls;
    }

    /**
     * Called after {@link #takeNoMore}: waits for calls still at work. It does not hold the monitor, because others may
     * ask meanwhile whether it runs. What nobody has acknowledged until then goes back.
     */
    boolean awaitEnd(Duration atMost) {
        Forwarding current = forwarding();
        HandlerCalls<T> at = calls();
        if (current == null || current.stop(atMost)) {
            return true;
        }
        if (at != null) {
            at.abandon();
        }
        if (!current.stop(Duration.ZERO)) {
            LOG.warn(
                    "Listener {} of queue {}: calls are still at work after {}; what they forward may be forwarded again",
                    id(),
                    queue(),
                    atMost);
        }
        return false;
    }

    @Override
    public synchronized boolean running() {
        return forwarding != null && forwarding.running();
    }

    @Override
    public synchronized void pause() {
        if (forwarding != null) {
            forwarding.pause();
        }
    }

    @Override
    public synchronized void resume() {
        if (forwarding != null) {
            forwarding.resume();
        }
    }

    @Override
    public synchronized boolean paused() {
        return forwarding != null && forwarding.paused();
    }

    @Override
    public String toString() {
        return "listener " + id() + " of queue " + queue() + " (" + method + ")";
    }
}
