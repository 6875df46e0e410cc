package io.georep.codec;

/** The finalizer of SplitMix64. What it returns is part of the formats. */
public final class SplitMix {
    /** The increment of its sequence: 2^64 by the golden ratio. */
    public static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private SplitMix() {}

    /** Returns a permutation of a number: every bit of the input changes half of the output. */
    public static long mixed(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
