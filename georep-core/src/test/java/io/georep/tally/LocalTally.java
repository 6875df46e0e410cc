package io.georep.tally;

import io.georep.model.ClosedException;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.TurnSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The tally of one node: all that is added between two turns is one command. */
final class LocalTally
        implements LocalSide<Tally, TallyProtocol.Command, TallyProtocol.Event>,
                Tally,
                TurnSource<TallyProtocol.Command> {
    private final NodeHandle<TallyProtocol.Command> node;
    private final CompletableFuture<Void> answered = new CompletableFuture<>();

    /** Guarded by this. */
    private List<Object> waiting = new ArrayList<>();

    private final List<Object> underWay = new ArrayList<>();
    private boolean closed;

    LocalTally(NodeHandle<TallyProtocol.Command> node) {
        this.node = node;
    }

    @Override
    public Tally service() {
        return this;
    }

    @Override
    public TurnSource<TallyProtocol.Command> source() {
        return this;
    }

    @Override
    public CompletionStage<Long> add() {
        CompletableFuture<Long> token = new CompletableFuture<>();
        boolean first;
        synchronized (this) {
            if (closed) {
                token.completeExceptionally(new ClosedException("the node is stopped"));
                return token;
            }
            first = waiting.isEmpty();
            waiting.add(token);
        }
        if (first) {
            node.wake();
        }
        return token;
    }

    @Override
    public CompletionStage<Map<String, Long>> counts() {
        return node.ask(TallyProtocol.Read::new);
    }

    @Override
    public CompletionStage<TallyStatistics> readStatistics() {
        return counts().thenApply(counts -> new TallyStatistics(counts, unnumbered()));
    }

    private synchronized long unnumbered() {
        return waiting.size() + underWay.size();
    }

    @Override
    public synchronized TallyProtocol.@Nullable Add gather() {
        if (waiting.isEmpty()) {
            return null;
        }
        List<Object> tokens = waiting;
        waiting = new ArrayList<>();
        underWay.addAll(tokens);
        return new TallyProtocol.Add(tokens);
    }

    @Override
    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void event(TallyProtocol.Event event) {
        if (event instanceof TallyProtocol.Counted counted) {
            long number = counted.count() - counted.tokens().size();
            for (Object token : counted.tokens()) {
                number++;
                ((CompletableFuture<Long>) token).complete(number);
            }
            synchronized (this) {
                underWay.removeAll(counted.tokens());
            }
        } else if (event instanceof TallyProtocol.Counts counts) {
            node.answer(counts.token(), counts.counts());
        }
    }

    @Override
    public synchronized void time(long nowNanos) {
        if (closed && waiting.isEmpty() && underWay.isEmpty()) {
            answered.complete(null);
        }
    }

    @Override
    public CompletableFuture<Void> answered() {
        return answered;
    }

    @Override
    public synchronized void ended() {
        closed = true;
        waiting.addAll(underWay);
        for (Object token : waiting) {
            ((CompletableFuture<?>) token).completeExceptionally(new ClosedException("the node ended"));
        }
        answered.complete(null);
    }
}
