package io.georep.funnel.core;

import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * What readers on other threads may see: the protocol changes it at the end of its turns, in the driver's thread,
 * before any frame of that turn leaves. A reader looks at the lease, then at the key, then at the time, and once more
 * at the lease: if that is the same and has not ended, the key was as seen while the lease held. So the protocol first
 * calls {@code readable(ReadLease.NONE)}, then changes contents that must not be seen, then gives a new lease.
 */
public interface Mirror {
    /**
     * A write of this key is under way: readers ask the protocol from now on. Idempotent.
     *
     * @param place what the last call for this key returned, so that the key need not be looked up; null if there was none
     * @return a place for the next call; null if the key is to be looked up then
     */
    @Nullable
    Object dirty(Slice key, @Nullable Object place);

    /**
     * Returns the committed value of a key without writes under way; null if it has none. Told for every key at boot, too. The slice is kept, and
     * never changes; each new value is another object. Takes and returns a place like {@link #dirty}.
     */
    @Nullable
    Object clean(Slice key, @Nullable Object place, @Nullable Slice value);

    /** Clean keys may be read while this lease holds on the clocks of the turns; not at all with {@link ReadLease#NONE}. */
    void readable(ReadLease lease);

    /** Returns whether committed changes are wanted as events. */
    boolean listening();
}
