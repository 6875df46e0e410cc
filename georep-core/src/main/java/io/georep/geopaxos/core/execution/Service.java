package io.georep.geopaxos.core.execution;

import io.georep.model.Slice;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A state that all nodes hold, and the operations on it. It consists of objects with numbers of 64 bits, which the service chooses; the
 * protocol knows which groups order the operations on each.
 *
 * <p>Every node executes the same operations, and those that conflict (see {@link Footprint}) in the same order. So everything here is a
 * function of the operation and of the state: no clock, no randomness, no iteration over hash tables. Operations whose footprints do not
 * meet may be executed in either order, and must leave the same state, the same results, the same objects and the same numbers of
 * objects. A new object therefore gets its number from what belongs to the object that it was split from, never from a counter of the
 * whole service.
 *
 * <p>Nothing here throws: an operation that fails or cannot be read has no effect and a result that says so. Before an operation is
 * ordered it was checked; what is wrong all the same is wrong everywhere.
 */
public interface Service {
    /** The least of {@link #keptBytesMax}. */
    long KEPT_BYTES = 256L << 20;

    /** Returns why an operation must not be ordered; null if it may be. Asked where it comes in. */
    default @Nullable String refusal(Slice operation) {
        return null;
    }

    /** Returns what the application lets this node execute, by name: an operation may need one of these. */
    default List<String> procedures() {
        return List.of();
    }

    /** Returns which of them an operation needs; null for none. */
    default @Nullable String procedure(Slice operation) {
        return null;
    }

    /** Returns why there is no room for an operation in the present state; null if there is. Asked where it comes in. */
    default @Nullable String noRoom(Slice operation) {
        return null;
    }

    /** Returns what the application is to be told since it was asked last; null for nothing. Asked after each execution, and after a load. */
    default @Nullable Object news() {
        return null;
    }

    /** Returns how many entries it holds. Costs nothing. */
    default long entries() {
        return 0;
    }

    /** Returns how many bytes its entries have. Costs nothing. */
    default long bytes() {
        return 0;
    }

    /** Returns how many bytes may wait to be forgotten beside the entries: of logs, and of results that nobody needs. */
    default long keptBytesMax() {
        return KEPT_BYTES;
    }

    /**
     * Returns the part of the present state that a key belongs to, which is an object and never changes: a write puts another in its place.
     * Any thread may call this while another one changes the state. Then it returns anything, and never fails. The bytes of the key are in two
     * arrays, one after the other.
     *
     * @return null if this service has no keys, or the state changes
     */
    default CallerReads.@Nullable Part part(byte[] begin, byte[] rest) {
        return null;
    }

    /** Returns the hash of a key that {@link #part} takes, as it is in footprints. Any thread. */
    default long hash(byte[] begin, byte[] rest) {
        throw new UnsupportedOperationException("a service without keys");
    }

    /** Returns what an operation may use, as a function of the operation alone. */
    Footprint footprint(Slice operation);

    /**
     * Tells, one by one, which objects the operation uses in the present state. What decides which object comes next (a leaf that holds
     * no larger key, a value that names another key) is looked up only in objects that were told before. An object whose number is
     * found belongs to the one that it is found in: whether a key is in a leaf is part of what the leaf contains. An operation that is
     * executed uses exactly these objects. One with a footprint of objects that uses none is not executed. What does not exist in the present
     * state is not told, even if the operation names it: elsewhere it may exist, with other groups.
     *
     * @param accesses stops it: when it returns false, no further object is looked at or told
     */
    void trace(Slice operation, Accesses accesses);

    /**
     * Tells which objects belong near the node that asked for the operation: those of {@link #trace}, except what the service
     * does to look after itself.
     */
    default void traceUse(Slice operation, Accesses accesses) {
        trace(operation, accesses);
    }

    /**
     * Executes an operation whose objects {@link #trace} has just told.
     *
     * @param births is told which objects come and go
     * @return the result; an operation that writes is executed once, and its result kept
     */
    Slice execute(Slice operation, Births births);

    /** Returns whether an object exists in the present state. */
    boolean has(long object);

    /** Returns what an object that exists contains. Equal objects have equal bytes. */
    Slice content(long object);

    /** Tells the objects of this moment by their keys, from the one that a key belongs to, until it is told to stop. */
    default void walk(Slice from, Walk walk) {}

    /** Returns all objects of this moment: later operations do not show. */
    Iterator<Content> contents();

    /** Begins to take a state in the place of the present one. */
    Loading load();

    /** Is told of objects that have entries with keys. */
    @FunctionalInterface
    interface Walk {
        /**
         * An object.
         *
         * @param first it has the entries from this key on
         * @return whether to go on
         */
        boolean at(long object, Slice first, int entries);
    }

    /** An object. */
    record Content(long object, Slice bytes) {}

    /** A state on its way into a service. */
    interface Loading {
        /**
         * Takes an object. They come in any order.
         *
         * @throws io.georep.codec.MalformedException if it is none
         */
        void add(long object, Slice content);

        /**
         * Takes what was added in the place of the present state.
         *
         * @throws io.georep.codec.MalformedException if it is no state; then nothing has changed
         */
        void finish();
    }

    /** Is told which objects an operation uses. */
    @FunctionalInterface
    interface Accesses {
        /**
         * The operation uses an object.
         *
         * @param write whether it may change it
         * @return whether the object may be looked at and the trace goes on
         */
        boolean use(long object, boolean write);
    }

    /** Is told which objects come and go. */
    @FunctionalInterface
    interface Births {
        /** A new object has come out of one that the operation writes, and is ordered by the same groups. */
        void born(long object, long from);

        /** An object that the operation writes is gone, and comes never back. */
        default void died(long object) {}

        /** Returns whether the same groups order two objects. */
        default boolean alike(long object, long other) {
            return true;
        }
    }
}
