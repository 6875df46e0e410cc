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

    void add(EntryInHand attempt, long dueNanos, long now) {
        attempt.dueNanos = dueNanos;
        attempt.order = order++;
        if (attempt.entry != null) {
            boolean kept = dueNanos - now <= PAYLOAD_KEPT_NANOS && payloadBytes + cost(attempt) <= payloadBytesMax;
            attempt.entry = kept ? attempt.entry.alone() : null;
            payloadBytes += kept ? cost(attempt) : 0;
        }
        if (attempt.entry == null && attempt.failures > 0) {
            attempt.dueNanos = together(dueNanos, now);
        }
        waiting.add(attempt);
    }

    /**
     * Returns a common moment for the retries of a group. Jitter spreads them evenly, so each of them would make the
     * node read the group again. Instead they are due at a few common moments, at most a sixteenth of the delay later.
     */
    private static long together(long dueNanos, long now) {
        long step = Math.min(TOGETHER_NANOS_MAX, Long.highestOneBit(Math.max(16, dueNanos - now) / 16));
        return (dueNanos + step - 1) & -step;
    }

    private static int cost(EntryInHand attempt) {
        return attempt.bytes + PAYLOAD_OVERHEAD;
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
            some.sort(Comparator.comparing(attempt -> attempt.id));
            due.addAll(some);
        }
        EntryInHand attempt = due.poll();
        if (attempt != null && attempt.entry != null) {
            payloadBytes -= cost(attempt);
        }
        return attempt;
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
        Predicate<EntryInHand> taken = attempt -> {
            boolean hit = kind.test(attempt);
            if (hit) {
                payloadBytes -= attempt.entry == null ? 0 : cost(attempt);
                taker.accept(attempt);
            }
            return hit;
        };
        waiting.removeIf(taken);
        due.removeIf(taken);
    }

    private static boolean isDue(@Nullable EntryInHand attempt, long now) {
        return attempt != null && attempt.dueNanos - now <= 0;
    }
}
