package io.georep.runtime;

import io.georep.model.ProtocolConfig;
import io.georep.model.StoreException;
import io.georep.model.StoreState;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Judges the store by what it owes: how many bytes wait to be written, for how long it has answered nothing although
 * it was asked, and how long its syncs take ({@link SyncPace}). A disk that hangs reports no error, so silence is the
 * only sign.
 *
 * <p>Writes and reads are judged apart, because either may hang alone. Any answer ends a silence: a slow store is
 * never given up, it only gets no more than it can hold. Silence is counted in turns of the loop, of which there is
 * one at least every {@link #tickNanos}. So a pause of the node itself is not held against its store.
 *
 * <p>A store that has stalled is trusted again when it has answered quickly for {@code storeStallAfter}. Otherwise,
 * if a disk stalls again and again, its node would alternately refuse and accept, and copies would be sent to it in
 * vain each time.
 */
public final class StoreWatch {
    /** Turns in the shortest silence that matters. */
    private static final int TICKS = 8;

    /** Turns in the shortest sync that is slow. */
    private static final int SYNC_TICKS = 4;

    /** A sync is slow from this part of T_put on. */
    private static final int SYNCS_IN_PUT_TIMEOUT = 4;

    /** What may wait for the store at any time, even if the store keeps up. */
    static final long HELD_BYTES_ALWAYS = 32L << 20;

    /**
     * Bounds; the settings of the same names.
     *
     * @param stallAfter silence until nothing new is taken
     * @param failAfter silence until the store is given up
     * @param backlogBytesMax bytes waiting to be written until nothing new is taken
     * @param putTimeout in which a put must be acknowledged: how long its syncs may take follows from that
     */
    public record Limits(Duration stallAfter, Duration failAfter, long backlogBytesMax, Duration putTimeout) {
        /** Returns the limits that these settings give. */
        public static Limits of(ProtocolConfig config) {
            return new Limits(
                    config.storeStallAfter(),
                    config.storeFailAfter(),
                    config.storeBacklogBytesMax(),
                    config.putTimeout());
        }
    }

    private record Owed(long batch, long valueBytes, long heldBytes, boolean synced) {}

    private final Limits limits;
    private final long stallNanos;
    private final long tickNanos;
    private final SyncPace pace;

    /** Batches that are not durable, oldest first. */
    private final ArrayDeque<Owed> owed = new ArrayDeque<>();

    private long backlogBytes;
    private long heldBytes;
    private boolean overfull;
    private long submitted;
    private long durable;
    private int reads;
    private long writeSilence;
    private long readSilence;
    private long lookedNanos;
    private boolean looked;
    private boolean full;
    private boolean behind;
    private boolean stalled;
    private boolean slow;
    private long calmNanos;

    public StoreWatch(Limits limits) {
        this.limits = limits;
        stallNanos = limits.stallAfter.toNanos();
        long slowNanos = limits.putTimeout.toNanos() / SYNCS_IN_PUT_TIMEOUT;
        tickNanos = Math.max(1, Math.min(stallNanos / TICKS, slowNanos / SYNC_TICKS));
        pace = new SyncPace(slowNanos, stallNanos);
    }

    /**
     * Called when a batch goes to the store.
     *
     * @param valueBytes bytes to be written
     * @param held memory it keeps, with what waits for it
     * @param synced whether it must be durable
     */
    void submitted(long valueBytes, long held, boolean synced) {
        submitted++;
        owed.add(new Owed(submitted, valueBytes, held, synced));
        backlogBytes += valueBytes;
        heldBytes += held;
        overfull |= heldBytes >= heldBytesMax();
    }

    /**
     * Refusing new entries bounds payloads. Questions, deletions and claims cannot be refused, but they can stay
     * unread. That is the later measure, because it concerns every message of every peer.
     */
    private long heldBytesMax() {
        return 2 * Math.min(limits.backlogBytesMax, Long.MAX_VALUE / 4) + HELD_BYTES_ALWAYS;
    }

    /**
     * Returns whether so much waits for the store that nothing more must be read from peers, until half of it is
     * written.
     */
    boolean isOverfull() {
        return overfull;
    }

    /** Called when everything up to this batch is durable. */
    void durable(long batch) {
        durable = Math.max(durable, batch);
        boolean synced = false;
        for (Owed first = owed.peek(); first != null && first.batch <= durable; first = owed.peek()) {
            backlogBytes -= first.valueBytes;
            heldBytes -= first.heldBytes;
            synced |= first.synced;
            owed.remove();
        }
        if (synced) {
            pace.synced(writeSilence);
        }
        writeSilence = 0;
        overfull &= 2 * heldBytes >= heldBytesMax();
    }

    /** Called when something is to be read. */
    void asked() {
        reads++;
    }

    /** Called when something was read. */
    void answered() {
        reads--;
        readSilence = 0;
    }

    /** The store said whether it has space; that is an answer, too. */
    void full(boolean isFull) {
        full = isFull;
        writeSilence = 0;
        readSilence = 0;
    }

    /** Start of a turn: counts the time since the last one, before the answers of this one are handled. */
    void look(long now) {
        long passed = looked ? Math.min(now - lookedNanos, 2 * tickNanos) : 0;
        looked = true;
        lookedNanos = now;
        writeSilence = submitted > durable ? writeSilence + passed : 0;
        readSilence = reads > 0 ? readSilence + passed : 0;
        calmNanos += passed;
        pace.passed(passed);
    }

    /**
     * Returns what the store's answers, or their absence, say now.
     *
     * @throws StoreException of kind STALLED when it has been silent for {@code storeFailAfter}
     */
    StoreState judge() {
        long silence = Math.max(writeSilence, readSilence);
        if (silence >= limits.failAfter.toNanos()) {
            throw new StoreException(
                    StoreException.Kind.STALLED,
                    describe() + ": the disk hangs; check it and the"
                            + " system's log, then start the node again (storeFailAfter is " + limits.failAfter + ")");
        }
        if (2 * silence >= stallNanos) {
            calmNanos = 0;
        }
        stalled = silence >= stallNanos || (stalled && calmNanos < stallNanos);
        behind = backlogBytes >= limits.backlogBytesMax || (behind && 2 * backlogBytes >= limits.backlogBytesMax);
        slow = pace.isSlow(writeSilence);
        if (stalled) {
            return StoreState.STALLED;
        }
        if (full) {
            return StoreState.FULL;
        }
        return slow ? StoreState.SLOW : behind ? StoreState.BEHIND : StoreState.READY;
    }

    /** Returns whether a sync is to be asked for, only to see how long it takes. */
    boolean wantsSync() {
        return submitted == durable && pace.wantsSync();
    }

    /** Returns what is owed and for how long nothing was heard. */
    String describe() {
        return "the store has answered no " + (writeSilence >= readSilence ? "write" : "read") + " for "
                + Duration.ofNanos(Math.max(writeSilence, readSilence)).toMillis() + " ms; " + (submitted - durable)
                + " batches with " + backlogBytes + " bytes and " + reads + " reads wait; its last sync took "
                + Duration.ofNanos(pace.lastNanos()).toMillis() + " ms";
    }

    /** Returns when a turn is needed to look again; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos() {
        boolean waits = submitted > durable || reads > 0 || stalled || slow;
        return looked && waits ? lookedNanos + tickNanos : Long.MAX_VALUE;
    }
}
