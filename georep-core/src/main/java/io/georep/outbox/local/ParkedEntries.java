package io.georep.outbox.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries that wait for their delay or their next attempt. Few of them keep their payload, bounded in bytes; the node
 * reads the others again. What is due comes in the order of ids, some thousands at a time, because entries that were
 * sent together are read together. Guarded by the monitor of its {@link ForwardWindow}.
 */
final class ParkedEntries {
    /** An entry that is parked longer than this gives up its payload. */
    private static final long PAYLOAD_KEPT_NANOS = 5_000_000_000L;

    /** What an entry takes beside its bytes. */
    private static final int PAYLOAD_OVERHEAD = 150;

    /** Most entries that are put in order at a time. */
    private static final int DUE_MAX = 1 << 14;

    /** Longest time that a retry without payload waits for others that are due soon: then one read serves them. */
    private static final long TOGETHER_NANOS_MAX = 1L << 31;

    private final long payloadBytesMax;
    private final PriorityQueue<EntryInHand> waiting = new PriorityQueue<>((a, b) -> {
        int byTime = Long.signum(a.dueNanos - b.dueNanos);
        return byTime != 0 ? byTime : Long.compare(a.order, b.order);
    });
    private final ArrayDeque<EntryInHand> due = new ArrayDeque<>();
    private long payloadBytes;
    private long order;

    ParkedEntries(long payloadBytesMax) {
        this.payloadBytesMax = payloadBytesMax;
    }

    void add(EntryInHand inHand, long dueNanos, long now) {
        inHand.dueNanos = dueNanos;
        inHand.order = order++;
        if (inHand.entry != null) {
            boolean kept = dueNanos - now <= PAYLOAD_KEPT_NANOS && payloadBytes + cost(inHand) <= payloadBytesMax;
            inHand.entry = kept ? inHand.entry.alone() : null;
            payloadBytes += kept ? cost(inHand) : 0;
        }
        if (inHand.entry == null && inHand.failures > 0) {
            inHand.dueNanos = together(dueNanos, now);
        }
        waiting.add(inHand);
    }

    /**
     * Returns a common moment for the retries of a group. Jitter spreads them evenly, so each of them would make the
     * node read the group again. Instead they are due at a few common moments, at most a sixteenth of the delay later.
     */
    private static long together(long dueNanos, long now) {
        long step = Math.min(TOGETHER_NANOS_MAX, Long.highestOneBit(Math.max(16, dueNanos - now) / 16));
        return (dueNanos + step - 1) & -step;
    }

    private static int cost(EntryInHand inHand) {
        return inHand.bytes + PAYLOAD_OVERHEAD;
    }

    int size() {
        return waiting.size() + due.size();
    }

    /** Returns the bytes of the payloads that entries here keep. */
    long payloadBytes() {
        return payloadBytes;
    }

    /** Takes an entry that is due; null when none is. */
    @Nullable
    EntryInHand pollDue(long now) {
        if (due.isEmpty() && isDue(waiting.peek(), now)) {
            List<EntryInHand> some = new ArrayList<>();
            while (some.size() < DUE_MAX && isDue(waiting.peek(), now)) {
                some.add(waiting.remove());
            }
            some.sort(Comparator.comparing(inHand -> inHand.id));
            due.addAll(some);
        }
        EntryInHand inHand = due.poll();
        if (inHand != null && inHand.entry != null) {
            payloadBytes -= cost(inHand);
        }
        return inHand;
    }

    /**
     * Returns when the next entry is due; {@link Long#MAX_VALUE} if some are due and wait for room, or if there are
     * none.
     */
    long nextNanos(long now) {
        EntryInHand first = waiting.peek();
        return first == null || !due.isEmpty() || isDue(first, now) ? Long.MAX_VALUE : first.dueNanos;
    }

    /** Takes out entries of a kind. */
    void takeOut(Predicate<EntryInHand> kind, Consumer<EntryInHand> taker) {
        Predicate<EntryInHand> taken = inHand -> {
            boolean hit = kind.test(inHand);
            if (hit) {
                payloadBytes -= inHand.entry == null ? 0 : cost(inHand);
                taker.accept(inHand);
            }
            return hit;
        };
        waiting.removeIf(taken);
        due.removeIf(taken);
    }

    private static boolean isDue(@Nullable EntryInHand inHand, long now) {
        return inHand != null && inHand.dueNanos - now <= 0;
    }
}
