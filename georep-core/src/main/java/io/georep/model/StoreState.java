package io.georep.model;

/** Whether a node takes new entries and copies, as far as its store is concerned. */
public enum StoreState {
    /** It does. */
    READY,
    /** No: the disk is full or below its reserve. */
    FULL,
    /** No: what waits to be written has reached its bound, {@code storeBacklogBytesMax}. */
    BEHIND,
    /** No: the store has answered nothing for {@code storeStallAfter}. */
    STALLED;

    /** Whether new entries and copies are taken. */
    public boolean takesEntries() {
        return this == READY;
    }
}
