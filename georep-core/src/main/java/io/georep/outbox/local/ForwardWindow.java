package io.georep.outbox.local;

import static io.georep.model.BrokenInvariantException.require;

import io.georep.model.EntryId;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.RecalledEntries;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one forwarding between the node and the handler: how many may come (credit), which are ready, and
 * which are parked until later. Only bookkeeping, by batches of entries; {@link Orders} say what the node must be told.
 *
 * <p>An entry is active while it is ready, in hands or being read again. There are at most {@code window} active
 * entries, together with the credit that the node has. A parked entry frees its place, but the number of parked entries
 * is bounded too: above the bound there is no credit. If bytes are bounded, credit is for as many entries as usually
 * fit, and what does not fit goes back.
 */
final class ForwardWindow {
    /**
     * What to do after a change.
     *
     * @param giveBack entries that no handler was called with
     * @param giveBackTried entries that a handler was called with
     * @param forgotten workers the executor took and never ran
     * @param alarmNanos when {@link #sweep} is wanted; {@link Long#MAX_VALUE} when what was asked for before will do
     */
    record Orders(
            int credit,
            List<EntryId> reread,
            List<EntryId> giveBack,
            List<EntryId> giveBackTried,
            List<WorkerPool.Worker> workers,
            int forgotten,
            long alarmNanos) {}

    /** How long due entries leave their turn to new ones, of which there may be none. */
    private static final long TURN_NANOS = 200_000_000L;

    private final int window;
    private final long bytesMax;
    private final int parkedMax;
    private final int concurrency;
    private final WorkerPool pool;
    private final ArrayDeque<EntryInHand> ready = new ArrayDeque<>();
    private final ParkedEntries parked;
    private final Map<EntryId, EntryInHand> rereading = new HashMap<>();
    private final OpenRecalls recalls = new OpenRecalls();
    private List<EntryId> giveBack = new ArrayList<>();
    private List<EntryId> giveBackTried = new ArrayList<>();
    private int creditOut;
    private int inHands;

    /** Bytes of all active entries together. */
    private long activeBytes;

    /** How many bytes an entry has had lately, on average. */
    private long usualBytes = 1;

    /** Set when new entries found no bytes left. Then it is their turn, and due entries take no room. */
    private boolean crowdedOut;

    private boolean paused;
    private boolean stopped;

    /** The alarm that was asked for last and has not rung. */
    private long alarmNanos = Long.MAX_VALUE;

    /** The successor of this forwarding, which gets what was asked for here; null while there is none. */
    private @Nullable ForwardWindow successor;

    /** Paused or stopped; read between two handler calls, without the monitor. */
    private volatile boolean holding;

    ForwardWindow(ForwardOptions.Values values) {
        window = values.window();
        bytesMax = values.windowBytes();
        parkedMax = values.parkedMax();
        parked = new ParkedEntries(values.parkedBytesMax());
        concurrency = values.concurrency();
        paused = values.paused();
        holding = paused;
        pool = new WorkerPool(concurrency);
    }

    /** Takes entries that have arrived; returns null if they belong to the successor. */
    synchronized @Nullable Orders delivered(List<OutboxEvent.Delivered> entries, long now) {
        if (successor != null) {
            return null;
        }
        boolean came = false;
        for (OutboxEvent.Delivered entry : entries) {
            EntryInHand inHand = rereading.isEmpty() ? null : rereading.remove(entry.id());
            boolean first = inHand == null;
            if (inHand == null) {
                creditOut--;
                inHand = new EntryInHand(entry);
                inHand.recallsSeen = recalls.last();
                usualBytes = Math.max(1, usualBytes + (inHand.bytes - usualBytes) / 4);
            } else {
                inHand.entry = entry;
                activeBytes -= inHand.bytes;
            }
            boolean full = first && !paused && activeBytes >= bytesMax;
            if (full || recalls.concern(inHand)) {
                crowdedOut |= full;
                giveBack(inHand);
            } else if (paused || stopped) {
                setAside(inHand, now);
            } else {
                activeBytes += inHand.bytes;
                ready.add(inHand);
                came |= first;
            }
        }
        crowdedOut &= !came;
        return settled(now);
    }

    /** A worker runs; returns whether it may claim. */
    synchronized boolean begins(WorkerPool.Worker worker) {
        return pool.begins(worker);
    }

    /** Takes entries into hands; null, and the worker is gone, when none is ready. */
    synchronized @Nullable List<EntryInHand> claim(int max) {
        if (ready.isEmpty()) {
            pool.ends();
            return null;
        }
        int count = Math.min(max, Math.max(1, ready.size() / concurrency));
        List<EntryInHand> claimed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            EntryInHand inHand = ready.remove();
            inHand.taken();
            claimed.add(inHand);
        }
        inHands += count;
        return claimed;
    }

    /** Returns whether no further call may begin with what was claimed at the recall of this number. */
    boolean holding(int recallsSeen) {
        return holding || recalls.last() != recallsSeen;
    }

    /** Returns the number of the last recall, read before a claim. */
    int recalls() {
        return recalls.last();
    }

    /** The node asks entries back: those in no hands at once, the others when they come back unforwarded. */
    synchronized Orders recall(RecalledEntries entries, long now) {
        recalls.add(entries);
        giveBackReady(inHand -> entries.contains(inHand.id));
        parked.takeOut(inHand -> entries.contains(inHand.id), this::giveBack);
        return settled(now);
    }

    private void giveBackReady(Predicate<EntryInHand> kind) {
        ready.removeIf(inHand -> {
            boolean hit = kind.test(inHand);
            if (hit) {
                activeBytes -= inHand.bytes;
                giveBack(inHand);
            }
            return hit;
        });
    }

    private void giveBack(EntryInHand inHand) {
        (inHand.called ? giveBackTried : giveBack).add(inHand.id);
    }

    /** Entries in hands that the handler did not get: it is paused or stopped, or some were asked back. */
    synchronized Orders untouched(List<EntryInHand> entries, long now) {
        inHands -= entries.size();
        for (EntryInHand inHand : entries) {
            inHand.ends(inHand.hand());
            if (paused || stopped || recalls.concern(inHand)) {
                activeBytes -= inHand.bytes;
                setAside(inHand, now);
            } else {
                ready.add(inHand);
            }
        }
        return settled(now);
    }

    /** The executor refused these workers. */
    synchronized Orders refused(List<WorkerPool.Worker> workers, long now) {
        pool.refused(workers, now);
        return settled(now);
    }

    /** A worker broke down; what it had in hands has been dealt with. */
    synchronized Orders workerFailed(long now) {
        pool.failed(now);
        return settled(now);
    }

    /** Entries in hands came to their end. */
    synchronized Orders finished(int count, long bytes, long now) {
        inHands -= count;
        activeBytes -= bytes;
        return settled(now);
    }

    /** An entry in hands waits until later. */
    synchronized Orders park(EntryInHand inHand, long dueNanos, long now) {
        inHands--;
        activeBytes -= inHand.bytes;
        if (stopped || recalls.concern(inHand)) {
            giveBack(inHand);
        } else {
            parked.add(inHand, dueNanos, now);
        }
        return settled(now);
    }

    /** The alarm rings, or it is time to look after everything, also after what an alarm should have been set for. */
    synchronized Orders sweep(long now) {
        alarmNanos = Long.MAX_VALUE;
        crowdedOut &= creditOut == 0;
        return settled(now);
    }

    synchronized Orders pause(long now) {
        paused = true;
        holding = true;
        ready.forEach(inHand -> {
            activeBytes -= inHand.bytes;
            setAside(inHand, now);
        });
        ready.clear();
        return settled(now);
    }

    synchronized Orders resume(long now) {
        paused = false;
        holding = stopped;
        return settled(now);
    }

    synchronized Orders stop(long now) {
        stopped = true;
        holding = true;
        giveBackReady(every -> true);
        parked.takeOut(every -> true, this::giveBack);
        return settled(now);
    }

    /** Waits until nothing is in hands; returns whether that is so. */
    synchronized boolean awaitHandsEmpty(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (inHands > 0) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                wait(Math.max(1, left / 1_000_000L));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return inHands == 0;
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

    /** Returns the bytes of the payloads that parked entries keep. */
    synchronized long parkedBytes() {
        return parked.payloadBytes();
    }

    /**
     * The next forwarding of the queue takes over the credit and what was asked for. All that arrives is its own now.
     */
    synchronized void passTo(ForwardWindow next) {
        successor = next;
        next.inherit(creditOut, rereading);
        creditOut = 0;
        rereading.values().forEach(inHand -> activeBytes -= inHand.bytes);
        rereading.clear();
    }

    private synchronized void inherit(int credit, Map<EntryId, EntryInHand> asked) {
        creditOut += credit;
        rereading.putAll(asked);
        asked.values().forEach(inHand -> {
            activeBytes += inHand.bytes;
            inHand.recallsSeen = recalls.last();
        });
    }

    /** Over a pause, entries tried before stay parked, so that attempts stay counted. Others go back. */
    private void setAside(EntryInHand inHand, long now) {
        if (stopped || !inHand.called || recalls.concern(inHand)) {
            giveBack(inHand);
        } else {
            parked.add(inHand, now, now);
        }
    }

    private Orders settled(long now) {
        List<EntryId> reread = List.of();
        // A quarter is for new entries, before what is due takes all; if none come, that gets it too.
        int credit = Math.min(creditToGive(), Math.max(1, reach() / 4) - creditOut);
        // As with credit: many at a time, which one read may serve.
        boolean dry = ready.isEmpty() && rereading.isEmpty();
        boolean turn = !crowdedOut || parked.size() >= parkedMax;
        boolean room = turn && !paused && !stopped && (dry || free() >= reach() / 4);
        while (room && active() < window && activeBytes < bytesMax) {
            EntryInHand inHand = parked.pollDue(now);
            if (inHand == null) {
                break;
            }
            activeBytes += inHand.bytes;
            if (inHand.entry != null) {
                ready.add(inHand);
            } else {
                reread = reread.isEmpty() ? new ArrayList<>() : reread;
                reread.add(inHand.id);
                rereading.put(inHand.id, inHand);
            }
        }
        if (inHands == 0 && rereading.isEmpty()) {
            recalls.clear();
        }
        if (stopped && inHands == 0) {
            notifyAll();
        }
        int forgotten = pool.forget(now);
        List<WorkerPool.Worker> start = pool.start(ready.size(), now);
        List<EntryId> back = giveBack.isEmpty() ? List.of() : giveBack;
        List<EntryId> tried = giveBackTried.isEmpty() ? List.of() : giveBackTried;
        giveBack = back.isEmpty() ? giveBack : new ArrayList<>();
        giveBackTried = tried.isEmpty() ? giveBackTried : new ArrayList<>();
        credit = Math.max(credit, creditToGive());
        creditOut += credit;
        return new Orders(credit, reread, back, tried, start, forgotten, alarmToSet(now));
    }

    /** What is due already waits for room, not for an alarm. */
    private long alarmToSet(long now) {
        long parkedNanos = paused || stopped ? Long.MAX_VALUE : parked.nextNanos(now);
        long turnNanos = crowdedOut && creditOut > 0 ? now + TURN_NANOS : Long.MAX_VALUE;
        long next = Math.min(Math.min(parkedNanos, turnNanos), pool.nextNanos(ready.size(), now));
        if (next >= alarmNanos) {
            return Long.MAX_VALUE;
        }
        alarmNanos = next;
        return next;
    }

    /** Requires what always holds for what is counted here. */
    synchronized void check() {
        require(inHands >= 0, "no more comes back than was in hands", this);
        require(activeBytes >= 0 && (activeBytes == 0 || active() > 0), "bytes are those of active entries", this);
    }

    @Override
    public String toString() {
        return "window with " + ready.size() + " ready entries, " + inHands + " in hands, " + rereading.size()
                + " being read again, " + activeBytes + " bytes, " + parked.size() + " parked, credit for " + creditOut;
    }

    private int reach() {
        return (int) Math.min(window, Math.max(1, bytesMax / usualBytes));
    }

    private int free() {
        long fit = activeBytes >= bytesMax ? 0 : Math.max(1, (bytesMax - activeBytes) / usualBytes);
        return (int) Math.min(window - active(), fit);
    }

    /** Gives credit in quarters of the window, or at once if the handler would run out of entries. */
    private int creditToGive() {
        int more = free() - creditOut;
        boolean few = more < reach() / 4 && !ready.isEmpty();
        return few || paused || stopped || parked.size() >= parkedMax ? 0 : Math.max(0, more);
    }
}
