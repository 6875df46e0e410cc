package io.georep.geopaxos.core;

import java.lang.invoke.VarHandle;

/** Tells other threads than the driver's whether anything has changed while they looked. Nobody waits for anybody. */
final class Changes {
    /** As the driver counts. */
    private long own;

    /** What it has shown: odd while something changes. */
    private volatile long count;

    /** Something is about to change. Only one thread calls this and {@link #end}. */
    void begin() {
        count = ++own;
        VarHandle.storeStoreFence();
    }

    void end() {
        count = ++own;
    }

    /** Returns what {@link #isStill} takes. Any thread, as that. */
    long look() {
        return count;
    }

    /** Whether nothing was changing then, and nothing has changed since. */
    boolean isStill(long look) {
        VarHandle.loadLoadFence();
        return (look & 1) == 0 && count == look;
    }
}
