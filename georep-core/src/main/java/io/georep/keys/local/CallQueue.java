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

/** Calls of all threads, in their order, on their way to the protocol; and those whose answer is awaited. Thread-safe. */
final class CallQueue implements TurnSource {
    private static final int CALLS_PER_TURN = 1024;
    private static final long BYTES_PER_TURN = 4L << 20;

    /** Most calls that wait for their answer, and most bytes of writes in them. */
    static final int CALLS_MAX = 100_000;

    static final long BYTES_MAX = 64L << 20;

    /**
     * A call under way: the future the caller waits for is made of it, so that only the node completes it.
     *
     * @param <R> type of the answer
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

    /** Any thread: takes no further calls. */
    @Override
    public synchronized void close() {
        closed = true;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Application thread: the answer to a call. */
    @SuppressWarnings("unchecked")
    void answer(Object token, @Nullable Object answer) {
        Call<Object> call = (Call<Object>) token;
        if (ended(call)) {
            call.answer.complete(answer);
        }
    }

    /** Application thread: a call failed. */
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

    /** Completes when no write waits any more and none can come. */
    CompletableFuture<Void> answered() {
        return answered;
    }

    /** Application thread: looks whether all is answered. Reads that wait for other nodes are not waited for. */
    void look() {
        boolean none;
        synchronized (this) {
            none = closed && queue.isEmpty() && underWay.stream().noneMatch(call -> call.isWrite);
        }
        if (none) {
            answered.complete(null);
        }
    }

    /** Application thread, at the end: nothing is answered any more. */
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
