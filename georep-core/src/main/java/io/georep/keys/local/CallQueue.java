package io.georep.keys.local;

import io.georep.keys.core.KeyCommand;
import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.runtime.NodeHandle;
import io.georep.runtime.TurnSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls of all threads on their way to the protocol, in order, and those that wait for their answer. Thread-safe. */
final class CallQueue implements TurnSource {
    private static final int CALLS_PER_TURN = 1024;
    private static final long BYTES_PER_TURN = 4L << 20;

    /** How many calls may wait for their answer, and how many bytes of writes they may have. */
    static final int CALLS_MAX = 100_000;

    static final long BYTES_MAX = 64L << 20;

    /**
     * A call under way. The caller gets a future that is derived from this one, so that only the node can complete this one.
     *
     * @param <R> the type of the answer
     */
    static final class Call<R> {
        final CompletableFuture<R> answer = new CompletableFuture<>();
        final int bytes;
        final boolean isWrite;

        Call(int bytes, boolean isWrite) {
            this.bytes = bytes;
            this.isWrite = isWrite;
        }
    }

    private record Queued(Call<?> call, KeyCommand command) {}

    private final NodeHandle node;

    /** Guarded by this, like everything below. */
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();

    private final Set<Call<?>> underWay = new HashSet<>();
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    private long bytes;
    private boolean closed;

    CallQueue(NodeHandle node) {
        this.node = node;
    }

    /** Queues a call, or fails it. */
    <R> CompletableFuture<R> call(int callBytes, boolean isWrite, Function<Object, KeyCommand> commandOfToken) {
        Call<R> call = new Call<>(callBytes, isWrite);
        boolean first;
        synchronized (this) {
            if (closed) {
                call.answer.completeExceptionally(closedException());
                return call.answer;
            }
            int calls = queue.size() + underWay.size();
            if (calls >= CALLS_MAX || bytes + callBytes > BYTES_MAX) {
                call.answer.completeExceptionally(new RejectedException(
                        RejectedException.Reason.QUEUE_FULL,
                        calls + " calls of key spaces with " + bytes + " bytes wait for their answers, allowed are "
                                + CALLS_MAX + " with " + BYTES_MAX + " bytes: wait for earlier calls"));
                return call.answer;
            }
            first = queue.isEmpty();
            bytes += callBytes;
            queue.add(new Queued(call, commandOfToken.apply(call)));
        }
        if (first) {
            node.wake();
        }
        // Who gets this cannot complete the other, which says when nobody waits any more.
        return call.answer.copy();
    }

    @Override
    public synchronized KeyCommand.@Nullable Calls gather() {
        if (queue.isEmpty()) {
            return null;
        }
        List<KeyCommand> calls = new ArrayList<>();
        long taken = 0;
        while (!queue.isEmpty() && calls.size() < CALLS_PER_TURN && taken < BYTES_PER_TURN) {
            Queued next = queue.remove();
            taken += next.call.bytes;
            underWay.add(next.call);
            calls.add(next.command);
        }
        return new KeyCommand.Calls(calls);
    }

    @Override
    public synchronized boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Takes no further calls. Any thread. */
    @Override
    public synchronized void close() {
        closed = true;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Answers a call. Application thread. */
    @SuppressWarnings("unchecked")
    void answer(Object token, @Nullable Object answer) {
        Call<Object> call = (Call<Object>) token;
        if (ended(call)) {
            call.answer.complete(answer);
        }
    }

    /** Fails a call. Application thread. */
    void fail(Object token, Throwable cause) {
        Call<?> call = (Call<?>) token;
        if (ended(call)) {
            call.answer.completeExceptionally(cause);
        }
    }

    private synchronized boolean ended(Call<?> call) {
        boolean waited = underWay.remove(call);
        if (waited) {
            bytes -= call.bytes;
        }
        return waited;
    }

    /** Returns a future that completes when no write waits any more and none can come. */
    CompletableFuture<Void> answered() {
        return answered;
    }

    /** Looks whether all writes are answered; reads that wait for other nodes do not count. Application thread. */
    void look() {
        boolean none;
        synchronized (this) {
            none = closed && queue.isEmpty() && underWay.stream().noneMatch(call -> call.isWrite);
        }
        if (none) {
            answered.complete(null);
        }
    }

    /** Fails everything that still waits: the node has ended. Application thread. */
    void end() {
        List<Call<?>> unseen = new ArrayList<>();
        List<Call<?>> seen;
        synchronized (this) {
            closed = true;
            queue.forEach(queued -> unseen.add(queued.call));
            queue.clear();
            seen = List.copyOf(underWay);
            underWay.clear();
        }
        unseen.forEach(call -> call.answer.completeExceptionally(closedException()));
        for (Call<?> call : seen) {
            call.answer.completeExceptionally(
                    call.isWrite
                            ? new IndeterminateException("the node ended before the write was confirmed: read the key"
                                    + " when the node is started again, or write again")
                            : closedException());
        }
        answered.complete(null);
    }

    static ClosedException closedException() {
        return new ClosedException("the node is stopped or stopping: ask another node");
    }
}
