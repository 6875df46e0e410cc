package io.georep.funnel.local;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.core.ReadLease;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.runtime.CallQueue;
import io.georep.runtime.IdleHandle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A node whose protocol is the test. */
final class ScriptedNode extends IdleHandle<FunnelCommand> {
    final BlockingQueue<Object> commands = new LinkedBlockingQueue<>();

    /** Added to the machine's clock. */
    final AtomicLong ahead = new AtomicLong();

    volatile boolean onApplicationThread;

    ScriptedNode() {
        super("n1");
    }

    /** The next command that was not put into a {@link CallQueue}. */
    <C> C command(Class<C> type) throws InterruptedException {
        Object command = commands.poll(30, TimeUnit.SECONDS);
        if (command == null) {
            throw new AssertionError("no command within 30 s");
        }
        return type.cast(command);
    }

    @Override
    public long nanos() {
        return System.nanoTime() + ahead.get();
    }

    ReadLease anHour() {
        return ReadLease.granted(nanos(), wallMillis(), TimeUnit.HOURS.toNanos(1), FunnelSettings.defaults());
    }

    @Override
    public long wallMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos());
    }

    @Override
    public boolean command(FunnelCommand command) {
        return commands.add(command);
    }

    @Override
    public <R> CompletableFuture<R> ask(Function<Object, FunnelCommand> commandOfToken) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        command(commandOfToken.apply(answer));
        return answer;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void answer(Object token, Object answer) {
        ((CompletableFuture<Object>) token).complete(answer);
    }

    @Override
    public boolean onApplicationThread() {
        return onApplicationThread;
    }
}
