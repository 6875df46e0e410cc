package io.georep.bench.demo;

import io.georep.bench.process.Link;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The consumer: takes each entry a fixed time after it was offered and only then says so. What a node offered before it
 * died and was not taken yet is never taken: like a request whose connection broke before the answer.
 */
final class Operator {
    private record Pending(Link link, DemoMessage.Offered offer, long dueNanos) {}

    /** Waking for every single entry would cost more than taking it. */
    private static final long NAP_NANOS = 2_000_000;

    private final Account account;
    private final long delayNanos;
    private final LinkedBlockingQueue<Pending> pending = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "demo-operator");
    private volatile boolean stopped;

    Operator(Account account, long delayNanos) {
        this.account = account;
        this.delayNanos = delayNanos;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Any thread: a node offers an entry. */
    void offer(Link link, DemoMessage.Offered offer) {
        pending.add(new Pending(link, offer, System.nanoTime() + delayNanos));
    }

    void stop() {
        stopped = true;
        thread.interrupt();
    }

    private void run() {
        while (!stopped) {
            try {
                take(pending.take());
            } catch (InterruptedException e) {
                return; // Only stop() interrupts.
            }
        }
    }

    /** All wait equally long, so the oldest is always the next. */
    private void take(Pending next) throws InterruptedException {
        long nanos = next.dueNanos() - System.nanoTime();
        if (nanos > 0) {
            TimeUnit.NANOSECONDS.sleep(Math.max(nanos, NAP_NANOS));
        }
        if (!next.link().isClosed()) {
            account.forwarded(next.offer().id(), next.offer().payload());
            next.link().send(new DemoMessage.Taken(next.offer().delivery()));
        }
    }
}
