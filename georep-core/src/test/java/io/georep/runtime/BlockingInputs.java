package io.georep.runtime;

import java.util.List;

/** What wakes a driver, for tests of what is gathered beside it; its consumer sleeps as the model checker understands it. */
public final class BlockingInputs {
    private final HandOff<Object> items = new BlockingHandOff<>();

    public boolean offer(Object item) {
        return items.offer(item);
    }

    public int drainTo(List<Object> into, int max) {
        return items.drainTo(into, max);
    }

    public void await() {
        items.await(Long.MAX_VALUE);
    }
}
