package io.georep.model;

/** Whether the store of a node takes new entries and copies. */
public enum StoreState {
    /** It takes them. */
    READY,
    /** It takes none: the disk is full or below its reserve. */
    FULL,
    /** It takes none: {@code storeBacklogBytesMax} bytes wait to be written. */
    BEHIND,
    /** It takes none: its syncs take a quarter of {@code putTimeout} or longer. */
    SLOW,
    /** It takes none: it has not answered for {@code storeStallAfter}. */
    STALLED;

    /** Returns whether the store takes new entries and copies. */
    public boolean takesEntries() {
        return this == READY;
    }
}
