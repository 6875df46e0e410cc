package io.georep.funnel.core;

import io.georep.model.Slice;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * What commits change in the store (rule 20.17). Nobody waits for it: after a crash the uncommitted writes are still there, and the other members
 * know that they were committed. So it waits for a batch that is written anyway, or for a few milliseconds: a turn that only
 * commits wakes no store, and the store's answer causes no further turn.
 *
 * <p>All of it is written at once and in order, so the store always holds a beginning of the commits. Therefore whatever says how far
 * the commits in the store go is written behind it: {@link FunnelContext#storeSelf}, records of clients, and
 * commits that came from another member. A removal is forgotten only when it is durable everywhere, so not while it waits here.
 */
final class LateWrites {
    /** How long it may wait. */
    static final long WAIT_NANOS = 5_000_000;

    /** How much may wait. */
    private static final int CHANGES_MAX = 1000;

    private static final long BYTES_MAX = 256 << 10;

    /** In the order of their first commits that wait. */
    private final List<Cell> cells = new ArrayList<>();

    private final List<WriteGroup> done = new ArrayList<>();
    private long bytes;
    private long dueAt = Long.MAX_VALUE;

    /** A key has a newer commit. */
    void put(Cell cell, Turn turn) {
        bytes += cell.record().length;
        if (!cell.isLate) {
            cell.isLate = true;
            cells.add(cell);
        }
        waitsFrom(turn.now());
    }

    /** All writes of a group are done. */
    void delete(WriteGroup group, Turn turn) {
        done.add(group);
        waitsFrom(turn.now());
    }

    private void waitsFrom(long now) {
        dueAt = Math.min(dueAt, now + WAIT_NANOS);
    }

    /** Writes everything with this turn's batch. */
    void write(Turn turn) {
        if (dueAt == Long.MAX_VALUE) {
            return;
        }
        for (Cell cell : cells) {
            cell.isLate = false;
            turn.store().put(cell.storeKey(), Slice.of(cell.record()));
        }
        for (WriteGroup group : done) {
            turn.store().delete(FunnelLayout.groupPlace(group.serial));
        }
        cells.clear();
        done.clear();
        bytes = 0;
        dueAt = Long.MAX_VALUE;
    }

    /** Writes what has waited for long enough, or is too much; outside of a view everything. */
    void endOfTurn(boolean isServing, Turn turn) {
        if (!isServing || turn.now() >= dueAt || cells.size() + done.size() >= CHANGES_MAX || bytes >= BYTES_MAX) {
            write(turn);
        }
    }

    long nextDeadlineNanos() {
        return dueAt;
    }
}
