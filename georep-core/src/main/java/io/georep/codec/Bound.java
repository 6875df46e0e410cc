package io.georep.codec;

import io.georep.model.StreamId;

/**
 * The bounds of numbers that come from another node or from disk. They are checked when a number is read, and when it
 * is counted up. So whatever a node takes in, it can also store, pass on and raise, and nobody refuses it because of
 * what it was told.
 */
public enum Bound {
    /** Number of a boot in the membership, from 1. */
    INCARNATION("incarnation", 1, Constants.COUNT_MAX),

    /** The same for a peer that may be known by name only: 0 when never met. */
    INCARNATION_OR_NONE("incarnation", 0, Constants.COUNT_MAX),

    /** One above the last removed incarnation, 0 for none. */
    REMOVED_BELOW("removed incarnation", 0, Constants.COUNT_MAX + 1),

    /** GOODBYEs said in one boot. */
    GOODBYE("goodbye number", 1, Constants.COUNT_MAX),

    /** The same of a peer that may have said none. */
    GOODBYES("goodbye number", 0, Constants.COUNT_MAX),

    /** Drain commands of operators. */
    DRAIN_VERSION("drain version", 0, Constants.COUNT_MAX),

    /** A duration that is announced, in milliseconds: at least what fits a {@code long} of nanoseconds. */
    MILLIS("time in milliseconds", 0, (1L << 44) - 1),

    /** Lines of a peer list, that of its sender included. */
    LINES("lines of a list", 1, Integer.MAX_VALUE),

    /** A frame's number. */
    FRAME("frame number", 1, Constants.COUNT_MAX),

    /** Number of the frame that is echoed, 0 for none. */
    ECHO("echo number", 0, Constants.COUNT_MAX),

    /** Age of an echo in microseconds: also in nanoseconds far from overflow. */
    MICROS("echo age", 0, (1L << 52) - 1),

    /** The boot in an entry's id: milliseconds since 1970 times 2¹⁵, so good for some 4000 years. */
    BOOT("boot", 1, (1L << 62) - 1),

    /** A queue's number in an entry's id. */
    LANE("lane", 0, StreamId.LANE_MAX),

    /** An entry's number in its stream. */
    SEQUENCE("sequence number", 0, Constants.COUNT_MAX),

    /** Changes of holder or owners of an entry. */
    EPOCH("epoch", 0, Constants.COUNT_MAX);

    /** Nobody counts this far: a thousand years at a million a second. */
    private static final class Constants {
        static final long COUNT_MAX = (1L << 55) - 1;
    }

    private final String what;
    private final long min;
    private final long max;

    Bound(String what, long min, long max) {
        this.what = what;
        this.min = min;
        this.max = max;
    }

    /** Largest value. */
    public long max() {
        return max;
    }

    /**
     * Reads a varint.
     *
     * @throws MalformedException when it is out of bounds
     */
    public long read(BinReader in) {
        long value = in.varint(max, what);
        if (value < min) {
            throw new MalformedException(what + " is " + value + ", at least " + min);
        }
        return value;
    }

    /** Returns whether there is a number above this one. */
    public boolean canRaise(long value) {
        return value < max;
    }

    /**
     * Returns the next number. A number at its bound stays there: nodes that count do not get so far, and a node that
     * was told such a number must not send one that others refuse.
     */
    public long raise(long value) {
        return Math.min(value, max - 1) + 1;
    }
}
