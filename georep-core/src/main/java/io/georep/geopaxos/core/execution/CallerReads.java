package io.georep.geopaxos.core.execution;

import io.georep.protocol.ClockComparison;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one key each by the lease of this node, on any thread. At the end of each turn, before its messages leave, the
 * driver says what can be read this way: until then no other node knows what this turn has decided. A reader looks, in this
 * order: nothing is being executed; what the driver said last still holds; both clocks, now, say that the lease does; the part
 * of the state that the key belongs to; nothing was executed since. So all of this was true together at the moment of the
 * second look, wherever the reader's thread has paused.
 */
public final class CallerReads {
    private static final int ATTEMPTS = 3;

    /** One of this many reads is counted, and counts for all of them, because counting costs more than reading. */
    private static final int SAMPLE = 64;

    private static final int PLACES = 256;

    /** A part of the state that never changes: an object. */
    public interface Part {
        /** Returns the number of the object. */
        long number();

        /** Returns the value of a key, not to be changed; null if it has none. The bytes of the key are in two arrays, one after the other. */
        byte @Nullable [] value(byte[] begin, byte[] rest);
    }

    /**
     * What this node may read of a group.
     *
     * @param end until when it may be read
     * @param proposed keys and objects of these proposals may not be read, because others may know more of them
     * @param processed up to where the log of the group was processed
     * @param held what else may not be read; null for nothing
     */
    public record Opening(long end, InFlight proposed, long processed, Ripe.@Nullable Held held) {}

    /**
     * What the driver said at the end of a turn.
     *
     * @param openings by group; null where nothing may be read
     * @param clocks compares from a moment before which the leases counted
     */
    public record Permit(
            Executor executor,
            Rules rules,
            ClockComparison clocks,
            @Nullable Opening[] openings) {
        boolean isOpen(long object, long now, byte[] begin, byte[] rest) {
            int groups = executor.placement().of(object);
            for (int left = groups; left != 0; left &= left - 1) {
                int group = Integer.numberOfTrailingZeros(left); // it may have been added since
                Opening opening = group < openings.length ? openings[group] : null;
                if (opening != null && !rules.isOver(opening.end, now) && !isHeld(opening, object, begin, rest)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isHeld(Opening opening, long object, byte[] begin, byte[] rest) {
            if (opening.held == null && !opening.proposed.isAny(opening.processed)) {
                return false;
            }
            long key = executor.service().hash(begin, rest);
            return (opening.held != null && opening.held.has(key, object))
                    || rules.isInFlight(opening.proposed, key, object, opening.processed);
        }
    }

    /** Objects that were read, and how often: of two with the same place one counts. */
    private final long[] objects = new long[PLACES];

    private final int[] times = new int[PLACES];
    private volatile boolean hasCounted;
    private volatile @Nullable Permit permit;

    /** Says what can be read from now on; null for nothing. It replaces what was said before. */
    public void permit(@Nullable Permit next) {
        permit = next;
    }

    /**
     * Returns the part of the state that a key belongs to. Any thread.
     *
     * @param nanos the monotonic clock
     * @param millis the wall clock
     * @return null if only the driver can say
     */
    public @Nullable Part part(byte[] begin, byte[] rest, LongSupplier nanos, LongSupplier millis) {
        Part part = null;
        for (int attempt = 0; attempt < ATTEMPTS && part == null; attempt++) {
            Permit present = permit;
            if (present == null) {
                return null;
            }
            part = part(present, begin, rest, nanos, millis);
        }
        return part;
    }

    @SuppressWarnings("ReferenceEquality") // this one, and no other that looks the same
    private @Nullable Part part(Permit present, byte[] begin, byte[] rest, LongSupplier nanos, LongSupplier millis) {
        Changes changes = present.executor.changes;
        long look = changes.look();
        if (!changes.isStill(look) || present != permit) {
            return null;
        }
        long now = nanos.getAsLong();
        if (present.clocks.parted(now, millis.getAsLong())) {
            return null;
        }
        Part part = present.executor.service().part(begin, rest);
        boolean isRead = part != null
                && present.isOpen(part.number(), now, begin, rest)
                && present.rules.isUnchanged(changes, look);
        if (part == null || !isRead) {
            return null;
        }
        if (present.openings.length > 1 && ObjectTable.place(now, SAMPLE) == 0) {
            count(part.number());
        }
        return part;
    }

    /** Threads that count at the same moment may lose some. */
    private void count(long object) {
        int place = ObjectTable.place(object, PLACES);
        times[place] = objects[place] == object ? times[place] + 1 : 1;
        objects[place] = object;
        hasCounted = true;
    }

    /** Tells what was read since it was asked last. */
    public void tell(ObjIntConsumer<Long> counter) {
        if (!hasCounted) {
            return;
        }
        hasCounted = false;
        for (int place = 0; place < PLACES; place++) {
            if (times[place] > 0) {
                counter.accept(objects[place], SAMPLE * times[place]);
                times[place] = 0;
            }
        }
    }
}
