package io.georep.geopaxos.core.map;

import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** Reads operations, and remembers the last one: the executor asks about each several times in a row. */
final class OperationReader {
    private Slice lastRead = Slice.EMPTY;
    private @Nullable MapOperation last;

    /** Null for what is no operation. */
    @SuppressWarnings("ReferenceEquality") // equal bytes are read again, which does no harm
    @Nullable
    MapOperation decode(Slice operation) {
        if (operation != lastRead) {
            try {
                last = MapOperation.decode(operation);
            } catch (MalformedException e) {
                last = null;
            }
            lastRead = operation;
        }
        return last;
    }
}
