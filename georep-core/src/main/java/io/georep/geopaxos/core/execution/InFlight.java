package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Writes that the leader of a group has proposed and does not know to be decided. Others may know it and have executed
 * them, so a leased read that meets one waits. For each key (by its hash), and for each object that is changed as
 * such, this remembers the slot of the last proposal that takes effect there. Keys with the same place only cost time.
 * One slot for an object is enough for the keys that are in it at present: an operation that moves one of them to
 * another object, or takes the object from this group, changes this object as well. The driver writes; any thread may
 * ask for a key.
 */
public final class InFlight {
    private static final int PLACES = 1 << 13;

    /** Reads and writes elements of {@link #last}, which other threads read. */
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(long[].class);

    /** Null before the first proposal: most nodes lead few groups. */
    private volatile long @Nullable [] last;

    /** The slot of the last proposal that may write any key. */
    private volatile long wide;

    /** The slot of the last write that was proposed. */
    private volatile long any;

    /**
     * Others may take slots up to this one for decided. If no such slot is under way, the leader is the first to know, and no
     * read waits.
     */
    private volatile long shared;

    /** An entry is proposed by which an operation can be executed: its SET if one group orders it or it is at once, otherwise its SYNC. */
    public void proposed(long slot, Operation operation, Footprint footprint) {
        if (operation.kind() == Operation.READ) {
            return;
        }
        any = slot;
        if (footprint.everything()) {
            wide = slot;
        }
        long[] places = last;
        if (places == null) {
            places = new long[PLACES];
            last = places;
        }
        takesEffect(places, footprint.writes(), slot);
        takesEffect(places, footprint.objects(), slot);
    }

    private static void takesEffect(long[] places, long[] where, long slot) {
        for (long each : where) {
            PLACE.setVolatile(places, place(each), slot);
        }
    }

    /** Takes note that others may know from now on that all up to this slot is decided. */
    public void shared(long slot) {
        shared = slot;
    }

    private static int place(long keyOrObject) {
        return ObjectTable.place(keyOrObject, PLACES);
    }

    /**
     * Returns the slot after which a read may look, 0 if at once, when the slots up to {@code processed} are in the state.
     *
     * @param objects that the keys of the read are in at present
     */
    long until(Footprint read, long[] objects, long processed) {
        if (shared <= processed) {
            return 0;
        }
        long until = read.everything() ? any : Math.max(wide, Math.max(last(read.reads()), last(objects)));
        return until > processed ? until : 0;
    }

    private long last(long[] where) {
        long until = 0;
        for (long each : where) {
            until = Math.max(until, last(each));
        }
        return until;
    }

    private long last(long keyOrObject) {
        long[] places = last;
        return places == null ? 0 : (long) PLACE.getVolatile(places, place(keyOrObject));
    }

    /** Returns whether others may have executed what is not in the state yet. Any thread. */
    boolean isAny(long processed) {
        return shared > processed;
    }

    /** Returns whether that may write this key, or change the object that it is in. Any thread. */
    boolean isAny(long key, long object, long processed) {
        return shared > processed && Math.max(wide, Math.max(last(key), last(object))) > processed;
    }
}
