package io.georep.funnel.local;

import io.georep.funnel.core.Mirror;
import io.georep.funnel.core.ReadLease;
import io.georep.model.Slice;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What readers see: a cell for each key, and the lease. The driver's thread writes, all others read, without a lock.
 *
 * <p>Why a read is right. A member reports a write only after {@link #dirty}, and no write is committed before all members of the
 * view have reported it, or before the lease of a former member has ended. So a cell that is not dirty holds the newest
 * committed value at any moment at which the lease holds. A reader must be sure that the lease held at the moment at which
 * it looked at the cell. {@link #read(ReadCell)} looks at the lease, then at the cell, then at the time, and then sees that the lease is
 * still the same one. The lease was given before the first look and ends after the time
 * that was read, so it held in between. Without the first look a reader could be paused after it has seen a cell, and find a lease that was given later. Without the
 * last look it could find contents that are being replaced after the lease was taken away.
 *
 * <p>A key without a cell has no value. Readers may make cells for such keys, so that the next read finds one; these are bounded in
 * number, and the oldest goes first. Only readers' cells can be dropped by readers, and a cell that is dropped says so for ever, because
 * a reader may still hold it.
 */
@SuppressWarnings("ReferenceEquality") // what stands in place of a value is one object
class ReadTable implements Mirror {
    /** What a cell or a read says in place of a value. They are compared by identity. */
    static final Slice ABSENT = Slice.of(new byte[0]);

    /** The mirror does not know the value: the key is dirty, or there is no lease. */
    static final Slice UNKNOWN = Slice.of(new byte[0]);

    /** The cell was dropped: look for another one. */
    static final Slice GONE = Slice.of(new byte[0]);

    /** Most cells for keys without a value. */
    static final int ABSENT_MAX = 65_536;

    /** The place of one key. Cells of values and of dirty keys are changed by the driver's thread only. */
    static final class ReadCell {
        private volatile Slice state;

        private ReadCell(Slice state) {
            this.state = state;
        }
    }

    private final ConcurrentHashMap<Slice, ReadCell> cells = new ConcurrentHashMap<>();
    private final int absentMax;

    /** Keys for which readers made a cell, oldest first. */
    private final Queue<Slice> absent = new ConcurrentLinkedQueue<>();

    private final AtomicInteger absentCount = new AtomicInteger();

    /**
     * A lease in which may be read. Each is an object of its own, so a reader sees whether it is still the one it saw before.
     *
     * @param gaps rises when a lease ends before the next one begins
     */
    record Term(ReadLease lease, long gaps) {}

    /** Set before anything else is called. */
    private LongSupplier nanos = () -> {
        throw new IllegalStateException("no clock yet");
    };

    private LongSupplier millis = nanos;

    private volatile Term term = new Term(ReadLease.NONE, 0);

    private volatile int listeners;

    ReadTable() {
        this(ABSENT_MAX);
    }

    ReadTable(int absentMax) {
        this.absentMax = absentMax;
    }

    /** Before the driver starts: the clocks of the turns. */
    void clock(LongSupplier monotonicNanos, LongSupplier wallMillis) {
        nanos = monotonicNanos;
        millis = wallMillis;
    }

    @Override
    public Object dirty(Slice key, @Nullable Object place) {
        return set(key, place, UNKNOWN);
    }

    @Override
    public @Nullable Object clean(Slice key, @Nullable Object place, @Nullable Slice value) {
        if (value != null) {
            return set(key, place, value);
        }
        // The cell says so before the key can get another one, or a reader that holds this cell would see the old value
        // again.
        cells.computeIfPresent(key, (same, cell) -> {
            cell.state = GONE;
            return null;
        });
        return null;
    }

    /** A place is a cell that was made the driver's, and stays it until the key has no value. */
    private ReadCell set(Slice key, @Nullable Object place, Slice state) {
        ReadCell cell = place == null ? cells.get(key) : (ReadCell) place;
        if (cell != null && isDrivers(cell.state)) {
            cell.state = state;
            return cell;
        }
        return Objects.requireNonNull(cells.compute(key, (same, found) -> {
            if (found == null) {
                return new ReadCell(state);
            }
            found.state = state;
            return found;
        }));
    }

    private static boolean isDrivers(Slice state) {
        return state != ABSENT && state != GONE;
    }

    @Override
    public void readable(ReadLease lease) {
        Term before = term;
        if (lease != before.lease) {
            boolean isGap = lease == ReadLease.NONE || !holds(before);
            term = new Term(lease, before.gaps + (isGap ? 1 : 0));
        }
    }

    @Override
    public boolean listening() {
        return listeners > 0;
    }

    /** Says how many listeners there are. */
    void listeners(int count) {
        listeners = count;
    }

    /** The node has ended: nobody may read any more. Called when the driver has ended. */
    void end() {
        readable(ReadLease.NONE);
    }

    private boolean holds(Term looked) {
        return looked.lease.holds(nanos.getAsLong(), millis.getAsLong());
    }

    /** Returns the present lease. Tests override this to act between two looks. */
    Term term() {
        return term;
    }

    /** Reads a cell: a value, {@link #ABSENT}, {@link #UNKNOWN} or {@link #GONE}. Allocates nothing. */
    Slice read(ReadCell cell) {
        while (true) {
            Term looked = term();
            Slice state = cell.state;
            boolean holds = holds(looked);
            if (looked == term()) {
                return holds ? state : UNKNOWN;
            }
        }
    }

    /** Reads a key without leaving anything behind: a value, {@link #ABSENT} or {@link #UNKNOWN}. */
    Slice read(Slice key) {
        while (true) {
            Term looked = term();
            ReadCell cell = cells.get(key);
            Slice state = cell == null ? ABSENT : cell.state;
            boolean holds = holds(looked);
            if (looked == term()) {
                // If the cell was dropped meanwhile, the result is UNKNOWN, and the caller asks the protocol.
                return holds && state != GONE ? state : UNKNOWN;
            }
        }
    }

    /** Returns the cell of a key, a new one if it has none. The slice may be kept. */
    ReadCell cell(Slice key) {
        ReadCell found = cells.get(key);
        if (found != null) {
            return found;
        }
        ReadCell made = new ReadCell(ABSENT);
        ReadCell before = cells.putIfAbsent(key, made);
        if (before != null) {
            return before;
        }
        absent.add(key);
        if (absentCount.incrementAndGet() > absentMax) {
            Slice oldest = absent.poll();
            if (oldest != null) {
                absentCount.decrementAndGet();
                drop(oldest);
            }
        }
        return made;
    }

    private void drop(Slice key) {
        cells.computeIfPresent(key, (same, cell) -> {
            if (isDrivers(cell.state)) {
                return cell;
            }
            cell.state = GONE;
            return null;
        });
    }

    /** Returns for how long the lease still holds; 0 if it does not. */
    long leaseLeftNanos() {
        Term now = term;
        return holds(now) ? Math.max(0, now.lease.untilNanos() - nanos.getAsLong()) : 0;
    }

    /**
     * Calls the action for every key that has a cell, with what {@link #read(Slice)} would say.
     *
     * @return whether the lease held all the time; if not, keys may be missing
     */
    boolean forEach(BiConsumer<Slice, Slice> action) {
        Term before = term;
        if (!holds(before)) {
            return false;
        }
        cells.forEach((key, cell) -> {
            Slice state = cell.state;
            if (isDrivers(state)) {
                action.accept(key, state);
            }
        });
        // The time first: a gap that begins after it does no harm.
        Term after = term;
        return holds(after) && term.gaps == before.gaps;
    }

    /** Returns how many cells there are. */
    int size() {
        return cells.size();
    }
}
