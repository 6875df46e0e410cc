package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import io.georep.bench.report.Latencies;
import io.georep.model.EntryId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients of the nodes. Each sends one message, waits for the answer and sends the next: to its own node while that takes
 * entries, otherwise to any other. A message without a "stored" is sent again elsewhere as a new attempt; so in the end every
 * message is acknowledged, some perhaps twice. All together keep to a given pace. Thread-safe.
 */
final class Producers {
    private static final long TICK_MILLIS = 4;
    private static final long RETRY_NANOS = 50_000_000;

    /** A node as its clients see it. */
    interface Service {
        /** Returns whether it takes entries, as far as known. */
        boolean accepting();

        /** Sends a request; false when there is no connection. */
        boolean submit(DemoMessage.Submit request);
    }

    private static final class Producer {
        final int home;
        int at;
        boolean extra;
        long message;
        long sentNanos;
        long retryNanos;

        Producer(int home) {
            this.home = home;
            this.at = home;
        }
    }

    private final List<? extends Service> services;
    private final AttemptAccount account;
    private final History history;
    private final int entries;
    private final int payloadBytes;
    private final long trafficNanos;
    private final Deque<Producer> idle = new ArrayDeque<>();
    private final Deque<Producer> retries = new ArrayDeque<>();
    private final Map<Long, Producer> waiting = new HashMap<>();
    private final Histogram sends = Latencies.histogram();
    private final Thread ticks = new Thread(this::tick, "demo-producers");
    private long startNanos;
    private long endNanos;
    private final int ordinary;
    private double allowed;
    private double added;
    private long allowedNanos;
    private int haste = 1;
    private int reserve;
    private int messages;
    private int done;
    private volatile boolean stopped;

    Producers(List<? extends Service> services, AttemptAccount account, History history, DemoOptions options) {
        this.services = services;
        this.account = account;
        this.history = history;
        this.reserve = options.reserve();
        this.entries = options.entries();
        this.payloadBytes = options.payloadBytes();
        this.trafficNanos = options.traffic().toNanos();
        this.ordinary = options.producers() * services.size();
        for (int i = 0; i < options.producers(); i++) {
            for (int home = 0; home < services.size(); home++) {
                idle.add(new Producer(home));
            }
        }
        ticks.setDaemon(true);
    }

    synchronized void start() {
        startNanos = System.nanoTime();
        allowedNanos = startNanos;
        ticks.start();
    }

    void stop() {
        stopped = true;
        ticks.interrupt();
    }

    /** A node said "stored". */
    synchronized void stored(long attempt, EntryId id) {
        account.acknowledged(attempt, id);
        record(attempt, Event.Answer.ACKNOWLEDGED, id.toString(), "");
        Producer producer = waiting.remove(attempt);
        if (producer != null) {
            endNanos = System.nanoTime();
            sends.recordValue(endNanos - producer.sentNanos);
            done++;
            if (!producer.extra || haste > 1) {
                idle.add(producer);
            }
            pump(endNanos);
        }
    }

    /** A node said "not stored". */
    synchronized void refused(long attempt, boolean indeterminate, String reason) {
        if (indeterminate) {
            account.indeterminate(attempt);
            record(attempt, Event.Answer.INDETERMINATE, "", reason);
        } else {
            account.rejected(attempt);
            record(attempt, Event.Answer.REJECTED, "", reason);
        }
        Producer producer = waiting.remove(attempt);
        if (producer != null) {
            retryElsewhere(producer);
        }
    }

    /** The connection to a node broke: no answer will come. Returns how many attempts that leaves open. */
    synchronized int disconnected(int service) {
        List<Long> unanswered = new ArrayList<>();
        waiting.forEach((attempt, producer) -> {
            if (producer.at == service) {
                unanswered.add(attempt);
            }
        });
        for (Long attempt : unanswered) {
            Producer producer = waiting.remove(attempt);
            account.indeterminate(attempt);
            record(attempt, Event.Answer.INDETERMINATE, "", "the connection broke");
            if (producer != null) {
                retryElsewhere(producer);
            }
        }
        return unanswered.size();
    }

    /** Sends so many times faster than the options say, with so many times more producers. */
    synchronized void hurry(int factor) {
        allow(System.nanoTime());
        if (haste > 1) {
            // Messages that could not be sent in the hurry are not made up for. The reserve is none of them.
            double behind = Math.min(added, Math.max(0, Math.min(allowed, total() - reserve) - messages));
            added -= behind;
            allowed -= behind;
        }
        haste = factor;
        idle.removeIf(producer -> producer.extra);
        for (int i = 0; i < ordinary * (factor - 1); i++) {
            Producer producer = new Producer(i % services.size());
            producer.extra = true;
            idle.add(producer);
        }
    }

    /** Returns whether everything but the reserve is acknowledged. */
    synchronized boolean atReserve() {
        return done >= total() - reserve;
    }

    /** Sends the reserve as well. */
    synchronized void useReserve() {
        reserve = 0;
    }

    /** Messages acknowledged. */
    synchronized int done() {
        return done;
    }

    /** Returns whether every message is acknowledged. */
    synchronized boolean finished() {
        return messages >= total() && done == messages; // a part of a message that was added may be cut off
    }

    /** Nanoseconds from the start to the last "stored". */
    synchronized long trafficNanos() {
        return Math.max(1, endNanos - startNanos);
    }

    /** Nanoseconds from request to "stored" of all attempts so far. */
    synchronized Histogram sends() {
        return sends.copy();
    }

    private void tick() {
        while (!stopped) {
            synchronized (this) {
                pump(System.nanoTime());
            }
            try {
                Thread.sleep(TICK_MILLIS);
            } catch (InterruptedException e) {
                return; // Only stop() interrupts.
            }
        }
    }

    private void pump(long now) {
        for (Producer next = retries.peek(); next != null && next.retryNanos <= now; next = retries.peek()) {
            retries.remove();
            submit(next, now);
        }
        allow(now);
        while (messages < Math.min((long) allowed, total() - reserve) && !idle.isEmpty()) {
            Producer producer = idle.remove();
            producer.message = messages++;
            producer.at = producer.home;
            submit(producer, now);
        }
    }

    /** Spreads the messages over the time for them, and adds some in a hurry. */
    private void allow(long now) {
        double passed = trafficNanos == 0 ? entries : (double) (now - allowedNanos) / trafficNanos * entries;
        double more = trafficNanos == 0 ? 0 : passed * (haste - 1);
        added += more;
        allowed = Math.min(entries + added, allowed + passed + more);
        allowedNanos = now;
    }

    private int total() {
        return entries + (int) added;
    }

    private void record(long attempt, Event.Answer answer, String id, String reason) {
        history.add(new Event.Answered(history.now(), attempt, answer, id, reason));
    }

    private void submit(Producer producer, long now) {
        Integer service = route(producer.at);
        if (service == null) {
            retry(producer, now);
            return;
        }
        producer.at = service;
        producer.sentNanos = now;
        long attempt = account.open();
        waiting.put(attempt, producer);
        history.add(new Event.Sent(history.now(), attempt, DemoOptions.nodeName(service)));
        byte[] payload = Payloads.make(payloadBytes, attempt, producer.message);
        if (!services.get(service).submit(new DemoMessage.Submit(attempt, payload))) {
            waiting.remove(attempt);
            account.rejected(attempt); // It never left this process.
            record(attempt, Event.Answer.REJECTED, "", "NOT_CONNECTED");
            retryElsewhere(producer);
        }
    }

    /** The first service from here on that takes entries; null when none does. */
    private @Nullable Integer route(int from) {
        for (int i = 0; i < services.size(); i++) {
            int candidate = (from + i) % services.size();
            if (services.get(candidate).accepting()) {
                return candidate;
            }
        }
        return null;
    }

    private void retryElsewhere(Producer producer) {
        producer.at = (producer.at + 1) % services.size();
        retry(producer, System.nanoTime());
    }

    private void retry(Producer producer, long now) {
        producer.retryNanos = now + RETRY_NANOS;
        retries.add(producer);
    }
}
