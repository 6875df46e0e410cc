package io.georep.runtime;

import io.georep.protocol.local.NodeHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A node that does nothing it is asked for, and counts how often it is woken.
 *
 * @param <C> the commands of the protocol
 */
public class IdleHandle<C> implements NodeHandle<C> {
    public final AtomicInteger woken = new AtomicInteger();

    private final String nodeName;

    public IdleHandle(String nodeName) {
        this.nodeName = nodeName;
    }

    @Override
    public String nodeName() {
        return nodeName;
    }

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
    public boolean command(C command) {
        return true;
    }

    @Override
    public void wake() {
        woken.incrementAndGet();
    }

    @Override
    public <R> CompletableFuture<R> ask(Function<Object, C> commandOfToken) {
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
    public void fail(Throwable cause) {}

    @Override
    public boolean onApplicationThread() {
        return false;
    }
}
