package io.georep.flagons.core;

/**
 * The positions that begin with the same bits. Ranges form a tree; a group is the nodes and the keys of one of them.
 *
 * @param depth how many bits
 * @param start the first position
 */
public record Range(int depth, long start) {
    /** The deepest range. */
    static final int DEPTH_MAX = 40;

    /** All positions. */
    static final Range ALL = new Range(0, 0);

    /** Checks that the start has no bits behind its depth. */
    public Range {
        if (depth < 0 || depth > DEPTH_MAX || start != (start & mask(depth))) {
            throw new IllegalArgumentException("no range: " + depth + " bits of " + Long.toHexString(start));
        }
    }

    /** Returns the range of this depth around a position. */
    static Range around(long position, int depth) {
        return new Range(depth, position & mask(depth));
    }

    private static long mask(int depth) {
        return depth == 0 ? 0 : -1L << (64 - depth);
    }

    /** Returns the last position. */
    long last() {
        return start | ~mask(depth);
    }

    boolean has(long position) {
        return (position & mask(depth)) == start;
    }

    boolean has(Range other) {
        return other.depth >= depth && has(other.start);
    }

    Range lower() {
        return new Range(depth + 1, start);
    }

    Range upper() {
        return new Range(depth + 1, start | (1L << (63 - depth)));
    }
}
