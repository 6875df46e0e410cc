package io.georep.keys.core;

/**
 * Sums of the hashes of all replicated records, by the first bits of their keys' hashes: two nodes find out what one of
 * them lacks by going down where their sums differ. A sum is the exclusive or of its hashes, so that a change costs one
 * operation per level.
 */
final class HashTree {
    /** Levels below the root. */
    static final int LEVELS = 4;

    /** Bits of the hash each level looks at. */
    static final int BITS = 4;

    /** Parts each part falls into. */
    static final int CHILDREN = 1 << BITS;

    /** Number of parts at the lowest level. */
    static final int LEAVES = 1 << (BITS * LEVELS);

    private final long[][] sums = new long[LEVELS + 1][];

    /** A tree over nothing. */
    HashTree() {
        for (int level = 0; level <= LEVELS; level++) {
            sums[level] = new long[partsAt(level)];
        }
    }

    static int partsAt(int level) {
        return 1 << (BITS * level);
    }

    static int leafOf(long keyHash) {
        return (int) (keyHash >>> (Long.SIZE - BITS * LEVELS));
    }

    /** Adds the hash of a record, or takes it away. */
    void toggle(int leaf, long hash) {
        for (int level = 0; level <= LEVELS; level++) {
            sums[level][leaf >>> (BITS * (LEVELS - level))] ^= hash;
        }
    }

    /** The sum of a part. */
    long sum(int level, int part) {
        return sums[level][part];
    }
}
