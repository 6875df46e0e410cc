package io.georep.runtime;

import io.georep.ModelChecker;

/** A hand-over whose consumer sleeps as the model checker understands it. */
final class BlockingHandOff<E> extends HandOff<E> {
    private final ModelChecker.Sleep sleep = new ModelChecker.Sleep();

    @Override
    protected void sleep(long nanos) {
        sleep.untilWoken();
    }

    @Override
    protected void wake(Thread sleeper) {
        sleep.wake(sleeper);
    }
}
