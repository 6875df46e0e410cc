package io.georep.keys.core;

/**
 * Sums of the hashes of all replicated records, as a tree over the first bits of the hashes of their keys. Two nodes find out
 * what one of them lacks by going down where their sums differ. A sum is the exclusive or of the hashes below it, so a change
 * costs one operation per level.
 */
final class HashTree {
    /** How many levels are below the root. */
    static final int LEVELS = 4;

    /** How many bits of the hash each level looks at. */
    static final int BITS = 4;

    /** How many children each part has. */
    static final int CHILDREN = 1 << BITS;

    /** How many leaves there are: the parts at the lowest level. */
    static final int LEAVES = 1 << (BITS * LEVELS);

    private final long[][] sums = new long[LEVELS + 1][];

    /** Creates a tree without records. */
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

    /** Adds the hash of a record; a second time, takes it away again. */
    void toggle(int leaf, long hash) {
        for (int level = 0; level <= LEVELS; level++) {
            sums[level][leaf >>> (BITS * (LEVELS - level))] ^= hash;
        }
    }

    /** Returns the sum of a part. */
    long sum(int level, int part) {
        return sums[level][part];
    }
}
