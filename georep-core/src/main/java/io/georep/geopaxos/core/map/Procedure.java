package io.georep.geopaxos.core.map;

import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation of the application on several keys, executed on every node in the decided order. Both methods are functions of what
 * they are given: no clock, no randomness, no state of their own, no iteration over hash tables. All nodes have the same code under a
 * name and version; other code gets another version. If either throws a {@link RuntimeException}, the operation has no effect and its
 * caller gets the message, which therefore holds nothing that differs between nodes.
 */
public interface Procedure {
    /** Returns the name that callers use. */
    String name();

    /** Returns the version of the code. */
    int version();

    /** Returns the keys that it uses with an argument. */
    Keys keys(Slice argument);

    /** Executes it; returns the result, at most {@link MapOperation#ARGUMENT_BYTES_MAX} bytes. */
    Slice execute(View view, Slice argument);

    /**
     * The keys of a call.
     *
     * @param reads keys that are read only
     * @param writes keys that may be read, written and removed
     * @param finds whether it uses others as well, which show only while it is executed: {@link MapOperation#KEYS_MAX} at the most
     */
    record Keys(List<Slice> reads, List<Slice> writes, boolean finds) {
        /** Checks the bounds. */
        public Keys {
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
            if (Math.max(reads.size(), writes.size()) > MapOperation.KEYS_MAX) {
                throw new IllegalArgumentException(reads.size() + " and " + writes.size() + " keys, at most "
                        + MapOperation.KEYS_MAX + " of each");
            }
            reads.forEach(key -> MapOperation.checkKey(key, MapOperation.KEY_BYTES_MAX));
            writes.forEach(key -> MapOperation.checkKey(key, MapOperation.KEY_BYTES_MAX));
        }

        /** These and no others. */
        public Keys(List<Slice> reads, List<Slice> writes) {
            this(reads, writes, false);
        }
    }

    /** The declared keys with their values, and those that it finds. What is written shows here at once, and elsewhere when the procedure returns. */
    interface View {
        /** Returns the value of a key; null if there is none. */
        @Nullable
        Slice get(Slice key);

        /** Stores an entry under a key declared as written, or found. */
        void put(MapEntry entry);

        /** Removes a key declared as written, or found. */
        void remove(Slice key);
    }
}
