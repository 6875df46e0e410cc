package io.georep.spring.listener;

import io.georep.AsyncForwardHandler;
import io.georep.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes batches of single deliveries: what gathers while earlier batches are at work becomes the next one, so there is no
 * timer, and a lone entry does not wait. Each entry of a batch ends on its own.
 */
final class BatchGatherer<T> implements AsyncForwardHandler<T> {
    /** Takes a batch; ends every entry of it, now or later, through its future. */
    @FunctionalInterface
    interface Consumer<T> {
        void take(List<Waiting<T>> batch);
    }

    /** An entry and its end. */
    record Waiting<T>(Delivery<T> delivery, CompletableFuture<Void> end) {}

    private final ConcurrentLinkedQueue<Waiting<T>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger drainers = new AtomicInteger();
    private final Executor executor;
    private final int concurrency;
    private final int batchMax;
    private final Consumer<T> consumer;

    BatchGatherer(Executor executor, int concurrency, int batchMax, Consumer<T> consumer) {
        this.executor = executor;
        this.concurrency = concurrency;
        this.batchMax = batchMax;
        this.consumer = consumer;
    }

    @Override
    public CompletionStage<?> handle(Delivery<T> delivery) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        waiting.add(new Waiting<>(delivery, end));
        startDrainer();
        return end;
    }

    private void startDrainer() {
        int now = drainers.get();
        while (now < concurrency) {
            if (drainers.compareAndSet(now, now + 1)) {
                executor.execute(this::drain);
                return;
            }
            now = drainers.get();
        }
    }

    private void drain() {
        try {
            for (List<Waiting<T>> batch = next(); !batch.isEmpty(); batch = next()) {
                consumer.take(batch);
            }
        } finally {
            drainers.decrementAndGet();
            // An entry may have come between the last look and the decrement, when no drainer could be started.
            if (!waiting.isEmpty()) {
                startDrainer();
            }
        }
    }

    private List<Waiting<T>> next() {
        List<Waiting<T>> batch = new ArrayList<>(Math.min(batchMax, 16));
        Waiting<T> entry = waiting.poll();
        while (entry != null) {
            batch.add(entry);
            entry = batch.size() < batchMax ? waiting.poll() : null;
        }
        return batch;
    }
}
