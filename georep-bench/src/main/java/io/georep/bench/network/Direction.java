package io.georep.bench.network;

import java.util.LinkedHashSet;
import java.util.Set;

/** What holds for everything one node says to another one. Used on the event loop. */
final class Direction {
    /** Tokens of a slow direction are given out this often. */
    private static final long TOKENS_NANOS = 10_000_000;

    /** A direction holds no more than this, so that a blocked one costs no more memory than this and one read. */
    private static final int HELD_BYTES_MAX = 1 << 20;

    private final long delayNanos;
    private final double jitter;
    private final int heldBytesMax;
    private final Set<Pipe> pipes = new LinkedHashSet<>();
    private boolean blocked;
    private long addedNanos;
    private int damageEvery;
    private long bytesPerSecond;
    private long tokens;
    private long tokensNanos;

    /** A piece takes up to a fifth longer than the shortest. */
    Direction(long delayNanos) {
        this(delayNanos, 0.2, HELD_BYTES_MAX);
    }

    private Direction(long delayNanos, double jitter, int heldBytesMax) {
        this.delayNanos = delayNanos;
        this.jitter = jitter;
        this.heldBytesMax = heldBytesMax;
    }

    /** All pieces take equally long, and so many are under way that a long distance is not a narrow one. */
    static Direction exact(long delayNanos) {
        return new Direction(delayNanos, 0, 64 * HELD_BYTES_MAX);
    }

    /** A piece takes up to this share longer than the shortest. */
    double jitter() {
        return jitter;
    }

    /** Connections stop reading while they hold more than this. */
    int heldBytesMax() {
        return heldBytesMax;
    }

    /** Shortest time anything is under way, in nanoseconds. */
    long delayNanos() {
        return delayNanos + addedNanos;
    }

    /** Returns whether nothing gets through for now. */
    boolean blocked() {
        return blocked;
    }

    void block() {
        blocked = true;
    }

    /** Makes everything take so much longer. */
    void delay(long nanos) {
        addedNanos = nanos;
    }

    /** Damages about one of so many bytes. */
    void damage(int everyBytes) {
        damageEvery = everyBytes;
    }

    /** About one of so many bytes is damaged; 0: none. */
    int damageEvery() {
        return damageEvery;
    }

    /** Lets so many bytes through per second: the other end reads slowly. */
    void slow(long bytes) {
        bytesPerSecond = bytes;
        tokens = 0;
        tokensNanos = System.nanoTime();
    }

    /** Returns whether it lets through a limited number of bytes per second. */
    boolean isSlow() {
        return bytesPerSecond > 0;
    }

    /** How many of these bytes may pass now; they are taken off what may pass later. */
    int admit(int bytes) {
        if (bytesPerSecond == 0) {
            return bytes;
        }
        long now = System.nanoTime();
        long passed = now - tokensNanos;
        if (passed >= TOKENS_NANOS) {
            // Unused tokens are not saved: no burst may follow a pause.
            tokens = 1 + (long) (bytesPerSecond * Math.min(passed, 10 * TOKENS_NANOS) / 1e9);
            tokensNanos = now;
        }
        int admitted = (int) Math.max(0, Math.min(bytes, tokens));
        tokens -= admitted;
        return admitted;
    }

    /** Lets everything through again as in the beginning, what was held up first. */
    void open() {
        blocked = false;
        addedNanos = 0;
        damageEvery = 0;
        bytesPerSecond = 0;
        Set.copyOf(pipes).forEach(Pipe::pump);
    }

    /** Closes all connections that use this direction. */
    void cut() {
        Set.copyOf(pipes).forEach(Pipe::cut);
    }

    void add(Pipe pipe) {
        pipes.add(pipe);
    }

    void remove(Pipe pipe) {
        pipes.remove(pipe);
    }
}
