package io.georep.outbox.local;

import io.georep.runtime.NodeHandle;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A node that does nothing it is asked for. */
record IdleHandle(String nodeName) implements NodeHandle {
    @Override
    public long nanos() {
        return 0;
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    @Override
    public void requireRunning() {}

    @Override
    public boolean command(Object command) {
        return true;
    }

    @Override
    public void wake() {}

    @Override
    public <R> CompletableFuture<R> ask(Function<Object, Object> commandOfToken) {
        return new CompletableFuture<>();
    }

    @Override
    public void answer(Object token, Object answer) {}

    @Override
    public boolean execute(Runnable task) {
        task.run();
        return true;
    }

    @Override
    public boolean onApplicationThread() {
        return false;
    }
}
