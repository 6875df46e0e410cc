package io.georep.comparison;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Entries on their way to a product whose interface blocks: threads of ours take them, as many as wait, and tell their senders.
 * Thread-safe.
 */
final class PendingSends implements AutoCloseable {
    /** Hands entries to the product, all or none, and returns when it has them. */
    @FunctionalInterface
    interface Work {
        void send(List<byte[]> payloads) throws Exception;
    }

    private record Pending(byte[] payload, CompletableFuture<@Nullable Void> done) {}

    private final BlockingQueue<Pending> waiting = new LinkedBlockingQueue<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Starts a thread that hands over at most so many entries at once. */
    void start(int atOnce, Work work) {
        Thread thread = new Thread(() -> run(atOnce, work), "sender-" + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    CompletionStage<?> add(byte[] payload) {
        Pending pending = new Pending(payload, new CompletableFuture<>());
        waiting.add(pending);
        return pending.done();
    }

    private void run(int atOnce, Work work) {
        List<Pending> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(waiting.take());
                waiting.drainTo(taken, atOnce - 1);
                send(taken, work);
                taken.clear();
            }
        } catch (InterruptedException e) {
            return; // Closed.
        }
    }

    private static void send(List<Pending> taken, Work work) throws InterruptedException {
        try {
            work.send(taken.stream().map(Pending::payload).toList());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            taken.forEach(each -> each.done().completeExceptionally(e));
            return;
        }
        taken.forEach(each -> each.done().complete(null));
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
