package io.georep.codec;

import io.georep.model.StreamId;

/**
 * The bounds of one kind of number that comes from another node or from disk. They are checked when a number is read, and
 * when it is counted up. So a node can store, pass on and raise whatever it takes in, and other nodes accept what it sends.
 * Each protocol has bounds of its own; those here are of what all of them share.
 *
 * @param what the number in words, for messages
 * @param min the smallest value
 * @param max the largest value
 */
public record Bound(String what, long min, long max) {
    /** The bound of counters. It takes a thousand years to count this far at a million a second. */
    public static final long COUNT_MAX = (1L << 55) - 1;

    /** Number of a boot in the membership, from 1. */
    public static final Bound INCARNATION = new Bound("incarnation", 1, COUNT_MAX);

    /** A duration that is announced, in milliseconds: at least what fits a {@code long} of nanoseconds. */
    public static final Bound MILLIS = new Bound("time in milliseconds", 0, (1L << 44) - 1);

    /** The boot in an entry's id: milliseconds since 1970 times 2¹⁵, so good for some 4000 years. */
    public static final Bound BOOT = new Bound("boot", 1, (1L << 62) - 1);

    /** A queue's number in an entry's id. */
    static final Bound LANE = new Bound("lane", 0, StreamId.LANE_MAX);

    /** Returns the bounds of something that is counted from 0. */
    public static Bound count(String what) {
        return new Bound(what, 0, COUNT_MAX);
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
