package io.georep.bench.demo;

import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The load on three nodes: sends so many entries per second whatever their outcome, takes so many per second, and counts both
 * in slots of time. One thread sends; any thread may call the other methods.
 */
final class OverloadFlow {
    /** The consumer takes all that comes. */
    static final long ALL = Long.MAX_VALUE;

    /** Length of a slot of the counts. */
    private static final long SLOT_NANOS = 100_000_000;

    /** A rate is the average over so many slots. */
    static final int SLOTS = 5;

    private static final long PACE_NANOS = 1_000_000;

    /** Counts for each slot since the beginning. */
    private final class Counts {
        private final AtomicLongArray slots;

        Counts(long seconds) {
            slots = new AtomicLongArray((int) (TimeUnit.SECONDS.toNanos(seconds) / SLOT_NANOS));
        }

        void one() {
            slots.incrementAndGet(slot());
        }

        /** Returns the rate per second, on average over whole slots. */
        double rate(int from, int until) {
            long sum = 0;
            for (int i = from; i < until; i++) {
                sum += slots.get(i);
            }
            return sum * 1e9 / SLOT_NANOS / Math.max(1, until - from);
        }
    }

    private final List<Outbox<byte[]>> outboxes = new ArrayList<>();
    private final int payloadBytes;
    private final long startNanos = System.nanoTime();
    private final Counts acknowledgements;
    private final Counts forwards;
    private final BitSet acknowledged = new BitSet();
    private final BitSet unsure = new BitSet();
    private final BitSet forwarded = new BitSet();
    private final Map<String, Long> refusals = new TreeMap<>();
    private final List<String> untyped = new ArrayList<>();
    private int attempts;
    private volatile int countedFrom;
    private long answers;
    private long repetitions;

    private final Object consumer = new Object();
    private long takenPerSecond = ALL;
    private long taken;
    private long sinceNanos;

    /**
     * Creates one without outboxes.
     *
     * @param payloadBytes size of an entry
     * @param seconds for how long it can count
     */
    OverloadFlow(int payloadBytes, long seconds) {
        this.payloadBytes = payloadBytes;
        this.acknowledgements = new Counts(seconds);
        this.forwards = new Counts(seconds);
    }

    /** Sends to this outbox, too, in turn with the others, and takes what it holds. */
    void join(Outbox<byte[]> outbox) {
        outboxes.add(outbox);
        outbox.forward(delivery -> take(delivery.payload()), options -> options.window(1000));
    }

    /** The present slot. */
    int slot() {
        return (int) ((System.nanoTime() - startNanos) / SLOT_NANOS);
    }

    /** The consumer takes so many per second from now on: {@link #ALL}, or 0 for none. */
    void takePerSecond(long entries) {
        synchronized (consumer) {
            takenPerSecond = entries;
            taken = 0;
            sinceNanos = System.nanoTime();
            consumer.notifyAll();
        }
    }

    private void take(byte[] payload) throws InterruptedException {
        synchronized (consumer) {
            while (takenPerSecond != ALL && taken >= takenPerSecond * (System.nanoTime() - sinceNanos) / 1e9) {
                consumer.wait(takenPerSecond == 0 ? 0 : 1);
            }
            taken++;
        }
        forwards.one();
        int attempt = ByteBuffer.wrap(payload).getInt();
        synchronized (this) {
            repetitions += forwarded.get(attempt) ? 1 : 0;
            forwarded.set(attempt);
        }
    }

    /** From now on counts acknowledgements only of entries that are sent from now on. */
    void countAnew() {
        countedFrom = attempts;
    }

    /**
     * Sends so many per second until it is enough. After a pause of the machine it makes up for a tenth of a second at the
     * most.
     */
    void produce(long perSecond, BooleanSupplier enough) {
        long start = System.nanoTime();
        long sent = 0;
        while (!enough.getAsBoolean()) {
            long due = (long) ((System.nanoTime() - start) / 1e9 * perSecond);
            sent = Math.max(sent, due - perSecond / 10);
            for (; sent < due; sent++) {
                send(attempts++);
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    /** Sends so many per second for so many slots. */
    void produce(long perSecond, int slots) {
        int until = slot() + slots;
        produce(perSecond, () -> slot() >= until);
    }

    private void send(int attempt) {
        byte[] payload = new byte[payloadBytes];
        ByteBuffer.wrap(payload).putInt(attempt);
        outboxes.get(attempt % outboxes.size())
                .send(payload)
                .whenComplete((id, failure) -> answered(attempt, id, failure));
    }

    private void answered(int attempt, @Nullable EntryId id, @Nullable Throwable failure) {
        if (id != null && attempt >= countedFrom) {
            acknowledgements.one();
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        synchronized (this) {
            answers++;
            if (id != null) {
                acknowledged.set(attempt);
            } else if (cause instanceof RejectedException rejected) {
                refusals.merge(rejected.reason().name(), 1L, Long::sum);
            } else if (cause instanceof IndeterminateException) {
                unsure.set(attempt);
                refusals.merge("indeterminate", 1L, Long::sum);
            } else {
                untyped.add(String.valueOf(cause));
            }
        }
    }

    /** Acknowledged per second between two slots. */
    double acknowledgedPerSecond(int from, int until) {
        return acknowledgements.rate(from, until);
    }

    /** Forwarded per second between two slots. */
    double forwardedPerSecond(int from, int until) {
        return forwards.rate(from, until);
    }

    /** Refusals since this was last asked, by type. */
    synchronized Map<String, Long> refusals() {
        Map<String, Long> copy = new TreeMap<>(refusals);
        refusals.clear();
        return copy;
    }

    /** What was refused without a type. */
    synchronized List<String> untyped() {
        return List.copyOf(untyped);
    }

    /** Sends that have no answer yet. */
    synchronized long unanswered() {
        return attempts - answers;
    }

    /** Acknowledged, and not forwarded yet. */
    synchronized int lost() {
        BitSet missing = (BitSet) acknowledged.clone();
        missing.andNot(forwarded);
        return missing.cardinality();
    }

    /** Forwarded although refused. */
    synchronized int unexpected() {
        BitSet extra = (BitSet) forwarded.clone();
        extra.andNot(acknowledged);
        extra.andNot(unsure);
        return extra.cardinality();
    }

    /** Forwarded again. */
    synchronized long repetitions() {
        return repetitions;
    }
}
