package io.georep.geopaxos.core.execution;

import java.lang.invoke.VarHandle;

/** Tells other threads than the driver's whether anything has changed while they looked. Nobody waits for anybody. */
final class Changes {
    /** The count as the driver has it, not volatile; odd while something changes. The driver publishes it in {@link #count}. */
    private long own;

    private volatile long count;

    /** Called before something changes. Only one thread calls this and {@link #end}. */
    void begin() {
        count = ++own;
        VarHandle.storeStoreFence();
    }

    void end() {
        count = ++own;
    }

    /** Returns the count, for {@link #isStill}. Any thread. */
    long look() {
        return count;
    }

    /** Returns whether nothing was changing then, and nothing has changed since. Any thread. */
    boolean isStill(long look) {
        VarHandle.loadLoadFence();
        return (look & 1) == 0 && count == look;
    }
}
