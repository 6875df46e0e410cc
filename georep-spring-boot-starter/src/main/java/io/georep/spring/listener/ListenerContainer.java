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
    private @Nullable ListenerCalls<T> calls;

    /** What a stop waits for. */
    @FunctionalInterface
    interface CallsAtWork {
        boolean await(Duration atMost);
    }

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
            ListenerCalls<T> fresh = new ListenerCalls<>(method, settings, advice);
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

    private Forwarding begin(ListenerCalls<T> calls) {
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
        return takeNoMore().await(atMost);
    }

    /**
     * Stops taking entries; waits for nothing. The result waits so long for calls still at work, and returns whether they
     * ended. It does not hold the monitor, because others may ask meanwhile whether the listener runs, or start it again.
     * What nobody has acknowledged until then goes back.
     */
    synchronized CallsAtWork takeNoMore() {
        Forwarding current = forwarding;
        ListenerCalls<T> at = calls;
        if (current == null || at == null) {
            return atMost -> true;
        }
        if (current.running()) {
            current.stop(Duration.ZERO);
            LOG.info("Listener {} of queue {} takes no more entries", id(), queue());
        }
        return atMost -> awaitEnd(current, at, atMost);
    }

    private boolean awaitEnd(Forwarding current, ListenerCalls<T> at, Duration atMost) {
        if (current.stop(atMost)) {
            return true;
        }
        at.abandon();
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
    public void pause() {
        outbox.pause();
    }

    @Override
    public void resume() {
        outbox.resume();
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
