package io.georep;

import io.georep.model.EntryId;
import io.georep.outbox.OutboxEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one forwarding between the node and the handler: how many may come (credit), which are ready, which are
 * parked until later. Only bookkeeping; what must be told to the node is answered as {@link Orders}. Its monitor is taken
 * per batch of entries.
 *
 * <p>Entries ready, in hands or being read again are active; at most {@code window} are, plus the credit that is out.
 * Parked entries free their place in the window but are bounded themselves: beyond that, no credit.
 */
final class Intake {
    /** What to tell the node after a change. */
    record Orders(int credit, List<EntryId> reread, List<EntryId> giveBack, boolean wake, int workers) {}

    /** Parked longer than this, an entry gives up its payload. */
    private static final long PAYLOAD_KEPT_NANOS = 5_000_000_000L;

    private final int window;
    private final int parkedMax;
    private final int payloadsMax;
    private final int concurrency;
    private final ArrayDeque<Attempt> ready = new ArrayDeque<>();
    private final PriorityQueue<Attempt> parked = new PriorityQueue<>((a, b) -> {
        int byTime = Long.signum(a.dueNanos - b.dueNanos);
        return byTime != 0 ? byTime : Long.compare(a.order, b.order);
    });
    private final Map<EntryId, Attempt> rereading = new HashMap<>();
    private List<EntryId> giveBack = new ArrayList<>();
    private int creditOut;
    private int inHands;
    private int workers;
    private int payloadsParked;
    private long parkedOrder;
    private boolean paused;
    private boolean stopped;

    /** Paused or stopped; read between two handler calls, without the monitor. */
    private volatile boolean holding;

    Intake(ForwardOptions options, int creditOut) {
        window = options.window();
        parkedMax = options.parkedMax();
        payloadsMax = options.parkedPayloadsMax();
        concurrency = options.concurrency();
        paused = options.startsPaused();
        holding = paused;
        this.creditOut = creditOut;
    }

    synchronized Orders delivered(List<OutboxEvent.Delivered> entries, long now) {
        for (OutboxEvent.Delivered entry : entries) {
            Attempt attempt = rereading.isEmpty() ? null : rereading.remove(entry.id());
            if (attempt == null) {
                creditOut--;
                attempt = new Attempt(entry);
            } else {
                attempt.entry = entry;
            }
            if (paused || stopped) {
                setAside(attempt, now);
            } else {
                ready.add(attempt);
            }
        }
        return settled(now, false);
    }

    /** Takes entries into hands; null, and the worker is gone, when none is ready. */
    synchronized @Nullable List<Attempt> claim(int max) {
        int count = Math.min(max, Math.max(1, ready.size() / concurrency));
        if (ready.isEmpty()) {
            workers--;
            return null;
        }
        List<Attempt> claimed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            claimed.add(ready.remove());
        }
        inHands += count;
        return claimed;
    }

    /** Whether handlers are to begin no further call. */
    boolean holding() {
        return holding;
    }

    /** Entries in hands that the handler did not get, because it is paused or stopped. */
    synchronized Orders untouched(List<Attempt> attempts, long now) {
        inHands -= attempts.size();
        for (Attempt attempt : attempts) {
            if (paused || stopped) {
                setAside(attempt, now);
            } else {
                ready.add(attempt);
            }
        }
        return settled(now, true);
    }

    /** The worker could not run. */
    synchronized void workerLost() {
        workers--;
    }

    /** Entries in hands came to their end. */
    synchronized Orders finished(int count, long now) {
        inHands -= count;
        return settled(now, false);
    }

    /** An entry in hands waits until later. */
    synchronized Orders park(Attempt attempt, long dueNanos, long now) {
        inHands--;
        if (stopped) {
            giveBack.add(attempt.id);
            return settled(now, false);
        }
        Attempt first = parked.peek();
        boolean wake = first == null || dueNanos - first.dueNanos < 0;
        addParked(attempt, dueNanos, now);
        return settled(now, wake);
    }

    synchronized Orders time(long now) {
        return settled(now, false);
    }

    synchronized Orders pause(boolean value, long now) {
        paused = value;
        holding = paused || stopped;
        if (paused) {
            ready.forEach(attempt -> setAside(attempt, now));
            ready.clear();
        }
        return settled(now, true);
    }

    synchronized Orders stop(long now) {
        stopped = true;
        holding = true;
        ready.forEach(attempt -> giveBack.add(attempt.id));
        parked.forEach(attempt -> giveBack.add(attempt.id));
        ready.clear();
        parked.clear();
        payloadsParked = 0;
        return settled(now, false);
    }

    /** Waits until nothing is in hands; answers whether that is so. */
    synchronized boolean awaitHandsEmpty(long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000L;
        boolean interrupted = false;
        while (inHands > 0 && !interrupted) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            try {
                wait(Math.max(1, left / 1_000_000L));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return inHands == 0;
    }

    /** When something parked is due and has room; {@link Long#MAX_VALUE} for never. */
    synchronized long nextDueNanos() {
        Attempt first = parked.peek();
        return first == null || paused || stopped || active() >= window ? Long.MAX_VALUE : first.dueNanos;
    }

    synchronized boolean paused() {
        return paused;
    }

    synchronized boolean stopped() {
        return stopped;
    }

    synchronized int active() {
        return ready.size() + inHands + rereading.size();
    }

    synchronized int parked() {
        return parked.size();
    }

    /** Credit the node still has; it passes to the next forwarding of the queue. */
    synchronized int takeCreditOut() {
        int credit = Math.max(0, creditOut);
        creditOut = 0;
        return credit;
    }

    /** Paused or stopped: entries tried before stay parked for their count's sake, others go back. */
    private void setAside(Attempt attempt, long now) {
        if (stopped || attempt.failures == 0) {
            giveBack.add(attempt.id);
        } else {
            addParked(attempt, now, now);
        }
    }

    private void addParked(Attempt attempt, long dueNanos, long now) {
        attempt.dueNanos = dueNanos;
        attempt.order = parkedOrder++;
        if (attempt.entry != null) {
            if (payloadsParked < payloadsMax && dueNanos - now <= PAYLOAD_KEPT_NANOS) {
                payloadsParked++;
            } else {
                attempt.entry = null;
            }
        }
        parked.add(attempt);
    }

    private Orders settled(long now, boolean wake) {
        List<EntryId> reread = List.of();
        while (!paused && !stopped && active() < window && isDue(parked.peek(), now)) {
            Attempt attempt = parked.remove();
            if (attempt.entry != null) {
                payloadsParked--;
                ready.add(attempt);
            } else {
                reread = reread.isEmpty() ? new ArrayList<>() : reread;
                reread.add(attempt.id);
                rereading.put(attempt.id, attempt);
            }
        }
        if (stopped && inHands == 0) {
            notifyAll();
        }
        int start = Math.max(0, Math.min(concurrency - workers, ready.size()));
        workers += start;
        List<EntryId> back = giveBack.isEmpty() ? List.of() : giveBack;
        if (!back.isEmpty()) {
            giveBack = new ArrayList<>();
        }
        return new Orders(creditToGive(), reread, back, wake, start);
    }

    private static boolean isDue(@Nullable Attempt attempt, long now) {
        return attempt != null && attempt.dueNanos - now <= 0;
    }

    /** In quarters of the window, so that entries come in batches, unless the handler would run dry. */
    private int creditToGive() {
        if (paused || stopped || parked.size() >= parkedMax) {
            return 0;
        }
        int free = window - active() - creditOut;
        if (free <= 0 || (free < window / 4 && !ready.isEmpty())) {
            return 0;
        }
        creditOut += free;
        return free;
    }
}
