package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Writes that the leader of a group has proposed and does not know to be decided, while others may know it and have executed them: a leased
 * read that meets one waits. For each key, by its hash, the slot of the last proposal that takes effect there is remembered; keys with the
 * same place only cost time. The driver writes; any thread may ask for a key.
 */
public final class InFlight {
    private static final int PLACES = 1 << 13;

    /** Its elements are read by other threads. */
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(long[].class);

    /** Null before the first proposal: most nodes lead few groups. */
    private volatile long @Nullable [] last;

    /** Of what may write any key. */
    private volatile long wide;

    /** Of all writes. */
    private volatile long any;

    /** Up to here others may take slots for decided. With nothing of theirs under way, the leader knows first, and nobody waits. */
    private volatile long shared;

    /** An entry is proposed by which an operation can be executed: its SET if one group orders it, otherwise its SYNC. */
    public void proposed(long slot, Operation operation, Footprint footprint) {
        if (operation.kind() == Operation.READ) {
            return;
        }
        any = slot;
        if (footprint.everything() || footprint.hasObjects()) {
            wide = slot;
        }
        long[] places = last;
        if (places == null) {
            places = new long[PLACES];
            last = places;
        }
        for (long key : footprint.writes()) {
            PLACE.setVolatile(places, place(key), slot);
        }
    }

    /** From now on others may know all up to this slot to be decided. */
    public void shared(long slot) {
        shared = slot;
    }

    private static int place(long key) {
        return ObjectTable.place(key, PLACES);
    }

    /** Returns the slot after which a read may look, 0 if at once, when the slots up to {@code processed} are in the state. */
    long until(Footprint read, long processed) {
        if (shared <= processed) {
            return 0;
        }
        long until = read.everything() ? any : wide;
        for (long key : read.reads()) {
            until = Math.max(until, last(key));
        }
        return until > processed ? until : 0;
    }

    private long last(long key) {
        long[] places = last;
        return places == null ? 0 : (long) PLACE.getVolatile(places, place(key));
    }

    /** Returns whether others may have executed what is not in the state yet. Any thread. */
    boolean isAny(long processed) {
        return shared > processed;
    }

    /** Returns whether that may write this key. Any thread. */
    boolean isAny(long key, long processed) {
        return shared > processed && Math.max(wide, last(key)) > processed;
    }
}
