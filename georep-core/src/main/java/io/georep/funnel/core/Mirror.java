package io.georep.funnel.core;

import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * What readers on other threads may see: the protocol changes it during its turns, in the driver's thread, before any frame of that
 * turn leaves. A reader looks at the key first and at the lease afterwards: then the key was as seen while the lease held.
 */
public interface Mirror {
    /** A write of this key is under way: readers ask the protocol from now on. Idempotent. */
    void dirty(Slice key);

    /** The committed value of a key without writes under way; null if it has none. */
    void clean(Slice key, @Nullable Slice value);

    /** Until when clean keys may be read, on the monotonic clock of the turns; {@link Long#MIN_VALUE} for not at all. */
    void readableUntil(long nanos);

    /** Whether committed changes are wanted as events. */
    boolean listening();
}
