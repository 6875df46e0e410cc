package io.georep.runtime;

import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.TurnSource;
import java.util.concurrent.CompletableFuture;

/**
 * A local side whose requests all go through a {@link CallQueue}.
 *
 * @param <S> type of the API, which the class implements
 * @param <C> the commands of the protocol
 * @param <E> the events of the protocol
 * @param <A> what the protocol answers
 */
public abstract class CallingSide<S, C, E, A> implements LocalSide<S, C, E> {
    protected final CallQueue<C, A> calls;

    protected CallingSide(NodeHandle<C> node, CallQueue.Kind<C> kind) {
        calls = new CallQueue<>(node, kind);
    }

    @Override
    public final TurnSource<C> source() {
        return calls;
    }

    @Override
    public void time(long nowNanos) {
        calls.look();
    }

    @Override
    public void close() {
        calls.close();
    }

    @Override
    public CompletableFuture<Void> answered() {
        return calls.answered();
    }

    @Override
    public void ended() {
        calls.end();
    }
}
