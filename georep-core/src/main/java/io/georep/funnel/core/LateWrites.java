package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.StoreBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes that have to be stored, but for which nobody waits. With a store that loses everything in a crash, these are
 * all changes (rule 20.17). They wait for a batch that is written for another reason, or for a bounded time. So these
 * turns do not wake the store, and no answers of the store cause further turns. Most writes are committed before that
 * time is over, and are never stored as uncommitted. A key that is written again and again is stored once in that time.
 * With other stores, only what commits change goes this way, and only to the end of the turn.
 *
 * <p>All of it is written at once, so the store always holds a beginning of the commits. Whatever else is stored goes
 * behind it: {@link FunnelContext#store} sees to that.
 */
final class LateWrites {
    /** How long it may wait, if a crash loses it anyway. */
    static final long WAIT_NANOS = 1_000_000_000;

    /** How much may wait. */
    private static final long BYTES_MAX = 4 << 20;

    /** What a change counts beside its bytes. */
    private static final int OVERHEAD_BYTES = 100;

    private final long waitNanos;

    /** Keys and clients that have a newer commit, in the order of their first ones. */
    private final List<Item> items = new ArrayList<>();

    /** Groups that are not in the store; those that are done leave when they come to the front. */
    private final ArrayDeque<UncommittedGroup> groups = new ArrayDeque<>();

    /** Groups that are in the store and done. */
    private final List<UncommittedGroup> done = new ArrayList<>();

    private long bytes;
    private long dueAt = Long.MAX_VALUE;

    LateWrites(boolean isVolatile) {
        waitNanos = isVolatile ? WAIT_NANOS : 0;
    }

    /** A key or a client has a newer commit. */
    void put(Item item, Turn turn) {
        if (item.lateBytes == 0) {
            items.add(item);
            bytes += OVERHEAD_BYTES;
        }
        int length = item.record().length;
        bytes += length - item.lateBytes;
        item.lateBytes = length;
        waitsFrom(turn.now());
    }

    /** A group was taken in. */
    void put(UncommittedGroup group, Turn turn) {
        group.isLate = true;
        groups.add(group);
        bytes += group.encoded.length() + OVERHEAD_BYTES;
        waitsFrom(turn.now());
    }

    /** All writes of a group are done. */
    void delete(UncommittedGroup group, Turn turn) {
        if (!group.isLate) {
            done.add(group);
            bytes += OVERHEAD_BYTES;
            waitsFrom(turn.now());
            return;
        }
        group.isLate = false;
        bytes -= group.encoded.length() + OVERHEAD_BYTES;
        while (!groups.isEmpty() && !groups.element().isLate) {
            groups.remove();
        }
    }

    private void waitsFrom(long now) {
        dueAt = Math.min(dueAt, now + waitNanos);
    }

    /** Writes everything with this turn's batch. */
    void write(StoreBatch batch) {
        if (dueAt == Long.MAX_VALUE) {
            return;
        }
        for (Item item : items) {
            item.lateBytes = 0;
            batch.put(item.storeKey(), Slice.of(item.record()));
        }
        for (UncommittedGroup group : groups) {
            if (group.isLate) {
                group.isLate = false;
                batch.put(FunnelLayout.groupPlace(group.serial), group.encoded);
            }
        }
        for (UncommittedGroup group : done) {
            batch.delete(FunnelLayout.groupPlace(group.serial));
        }
        items.clear();
        groups.clear();
        done.clear();
        bytes = 0;
        dueAt = Long.MAX_VALUE;
    }

    /** Writes what has waited for long enough, or is too much; everything, if nothing may wait. */
    void endOfTurn(boolean mayWait, Turn turn) {
        if (!mayWait || turn.now() >= dueAt || bytes >= BYTES_MAX) {
            write(turn.store());
        }
    }

    long nextDeadlineNanos() {
        return dueAt;
    }
}
