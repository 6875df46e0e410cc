package io.georep.bench.network;

import java.util.LinkedHashSet;
import java.util.Set;

/** What holds for everything one node says to another one. Used on the event loop. */
final class Way {
    private final long delayNanos;
    private final Set<Pipe> pipes = new LinkedHashSet<>();
    private boolean blocked;

    Way(long delayNanos) {
        this.delayNanos = delayNanos;
    }

    /** Shortest time anything is under way, in nanoseconds. */
    long delayNanos() {
        return delayNanos;
    }

    /** Whether nothing gets through for now. */
    boolean blocked() {
        return blocked;
    }

    void block() {
        blocked = true;
    }

    /** Lets everything through again, what was held up first. */
    void open() {
        blocked = false;
        Set.copyOf(pipes).forEach(Pipe::pump);
    }

    /** Closes all connections that use this way. */
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
