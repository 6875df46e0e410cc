package io.georep;

import io.georep.model.ClosedException;
import io.georep.protocol.local.NodeHandle;
import io.georep.runtime.NodeDriver;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What the node offers to the protocol on one channel.
 *
 * @param onThreadOfNode whether the caller is a thread of any side of the node; such threads must not wait for each other, or
 *     they could wait in a circle
 */
record ChannelHandle<C>(
        NodeSettings settings,
        int channel,
        NodeDriver driver,
        SideThread side,
        BooleanSupplier onThreadOfNode,
        NodeShutdown shutdown)
        implements NodeHandle<C> {
    @Override
    public String nodeName() {
        return settings.nodeId().value();
    }

    @Override
    public long nanos() {
        return settings.ticker().nanos();
    }

    @Override
    public long wallMillis() {
        return settings.ticker().wallMillis();
    }

    @Override
    public void requireRunning() {
        NodeState now = shutdown.state();
        if (now != NodeState.RUNNING) {
            throw new ClosedException(
                    "node " + nodeName() + " is " + now + ": open queues and begin handlers on a running node");
        }
    }

    @Override
    public boolean command(C command) {
        return driver.command(channel, command);
    }

    @Override
    public void wake() {
        driver.wake();
    }

    @Override
    public <R> CompletableFuture<R> ask(Function<Object, C> commandOfToken) {
        return side.answers.ask(token -> command(commandOfToken.apply(token)));
    }

    @Override
    public void answer(Object token, Object answer) {
        side.answers.answer(token, answer);
    }

    @Override
    public boolean execute(Runnable task) {
        return side.thread.execute(task);
    }

    @Override
    public void fail(Throwable cause) {
        driver.fail(cause);
    }

    @Override
    public boolean onApplicationThread() {
        return onThreadOfNode.getAsBoolean();
    }
}
