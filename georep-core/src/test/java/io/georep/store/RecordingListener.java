package io.georep.store;

import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.EntryStore.Pair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Writes down what a store reports and lets a test wait for it. */
public class RecordingListener implements EntryStore.Listener {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Answer to a scan. */
    public record Scanned(long token, List<Pair> pairs, boolean more) {}

    private final List<Long> durable = new ArrayList<>();
    private final List<Scanned> scanned = new ArrayList<>();
    private final List<Boolean> full = new ArrayList<>();
    private final List<StoreException> failures = new ArrayList<>();

    @Override
    public synchronized void durable(long batchNumber) {
        durable.add(batchNumber);
        notifyAll();
    }

    @Override
    public synchronized void scanned(long token, List<Pair> pairs, boolean more) {
        scanned.add(new Scanned(token, pairs, more));
        notifyAll();
    }

    @Override
    public synchronized void full(boolean isFull) {
        full.add(isFull);
        notifyAll();
    }

    @Override
    public synchronized void failed(StoreException cause) {
        failures.add(cause);
        notifyAll();
    }

    /** Completions in the order they came. */
    public synchronized List<Long> durable() {
        return List.copyOf(durable);
    }

    /** The last completed batch, 0 for none. */
    public synchronized long lastDurable() {
        return durable.isEmpty() ? 0 : durable.get(durable.size() - 1);
    }

    /** Answers to scans in the order they came. */
    public synchronized List<Scanned> scanned() {
        return List.copyOf(scanned);
    }

    /** Reports about space in the order they came. */
    public synchronized List<Boolean> full() {
        return List.copyOf(full);
    }

    /** Failures, normally none. */
    public synchronized List<StoreException> failures() {
        return List.copyOf(failures);
    }

    /** Waits until this batch is durable. */
    public void awaitDurable(long batchNumber) {
        await("batch " + batchNumber + " to be durable", self -> self.lastDurable() >= batchNumber);
    }

    /** Waits for the answer to this scan. */
    public Scanned awaitScanned(long token) {
        await("answer to scan " + token, self -> self.answer(token) != null);
        return answer(token);
    }

    private synchronized Scanned answer(long token) {
        return scanned.stream()
                .filter(answer -> answer.token() == token)
                .findFirst()
                .orElse(null);
    }

    /** Waits for a condition on what was reported; fails loudly when the store failed or nothing happens. */
    public synchronized void await(String what, Predicate<RecordingListener> condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.test(this)) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new AssertionError("waited in vain for " + what + "; durable " + lastDurable() + ", full " + full
                        + ", failures " + failures);
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + what, e);
            }
        }
    }
}
