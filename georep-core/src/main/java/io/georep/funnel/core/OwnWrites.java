package io.georep.funnel.core;

import io.georep.model.BrokenInvariantException;

/** What counts of the writes that this process made and that are not committed. */
final class OwnWrites {
    private int count;

    /** See {@link Write.Own#bytes}. */
    private long bytes;

    /** Keys that these writes may add. */
    private int newKeys;

    void add(Cell cell, Write.Own write) {
        cell.own++;
        count++;
        bytes += write.bytes();
        newKeys += write.addsKey() ? 1 : 0;
    }

    void remove(Cell cell, Write.Own write) {
        cell.own--;
        count--;
        bytes -= write.bytes();
        newKeys -= write.addsKey() ? 1 : 0;
        BrokenInvariantException.require(cell.own >= 0, "no more end than were made", this);
    }

    int count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    int newKeys() {
        return newKeys;
    }

    /** Requires what always holds between turns, with so many uncommitted writes of all nodes. */
    void check(int uncommitted) {
        boolean fits = count >= 0 && count <= uncommitted && newKeys >= 0 && newKeys <= count && bytes >= count;
        BrokenInvariantException.require(fits, "own writes are uncommitted ones", this);
        BrokenInvariantException.require(count > 0 || bytes == 0, "no writes take no bytes", this);
    }

    @Override
    public String toString() {
        return count + " own writes of " + bytes + " bytes, with " + newKeys + " new keys";
    }
}
