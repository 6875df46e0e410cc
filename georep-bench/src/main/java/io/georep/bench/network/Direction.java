package io.georep.bench.network;

import java.util.LinkedHashSet;
import java.util.Set;

/** What holds for everything one node says to another one. Used on the event loop. */
final class Direction {
    /** Tokens of a slow direction are given out this often. */
    private static final long TOKENS_NANOS = 10_000_000;

    private final long delayNanos;
    private final Set<Pipe> pipes = new LinkedHashSet<>();
    private boolean blocked;
    private long addedNanos;
    private int damageEvery;
    private long bytesPerSecond;
    private long tokens;
    private long tokensNanos;

    Direction(long delayNanos) {
        this.delayNanos = delayNanos;
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
