package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import io.georep.bench.process.Link;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The consumer: takes each entry a fixed time after it was offered and only then says so. If a node dies before the consumer
 * takes what it offered, the consumer never takes it, as with a request whose connection broke before the answer.
 */
final class Operator {
    private record Pending(String node, Link link, DemoMessage.Offered offer, long dueNanos) {}

    /** Waking for every single entry would cost more than taking it. */
    private static final long NAP_NANOS = 2_000_000;

    private final AttemptAccount account;
    private final History history;
    private final long delayNanos;
    private final LinkedBlockingQueue<Pending> pending = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "demo-operator");
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private volatile boolean stopped;
    private boolean held;

    Operator(AttemptAccount account, History history, long delayNanos) {
        this.account = account;
        this.history = history;
        this.delayNanos = delayNanos;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** A node offers an entry; any thread may call this. */
    void offer(String node, Link link, DemoMessage.Offered offer) {
        pending.add(new Pending(node, link, offer, System.nanoTime() + delayNanos));
    }

    /** Stops taking entries, or goes on; has taken effect when it returns. */
    void hold(boolean on) {
        lock.lock();
        try {
            held = on;
            released.signalAll();
        } finally {
            lock.unlock();
        }
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

    /** Takes the oldest entry: all wait equally long, so it is due first. */
    private void take(Pending next) throws InterruptedException {
        long nanos = next.dueNanos() - System.nanoTime();
        if (nanos > 0) {
            TimeUnit.NANOSECONDS.sleep(Math.max(nanos, NAP_NANOS));
        }
        lock.lock();
        try {
            while (held) {
                released.await();
            }
            if (!next.link().isClosed()) {
                take(next.node(), next.offer());
                next.link().send(new DemoMessage.Taken(next.offer().delivery()));
            }
        } finally {
            lock.unlock();
        }
    }

    private void take(String node, DemoMessage.Offered offer) {
        account.forwarded(offer.id(), offer.payload());
        if (history.isRecording()) {
            history.add(new Event.Forwarded(
                    history.now(),
                    Payloads.attempt(offer.payload()),
                    offer.id().toString(),
                    node,
                    offer.process(),
                    history.at(offer.nanos()),
                    offer.adoptedFrom(),
                    offer.possiblySent()));
        }
    }
}
