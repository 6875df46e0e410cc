package io.georep.funnel.local;

import io.georep.funnel.core.FunnelCommand;
import io.georep.funnel.core.FunnelEvent;
import io.georep.model.ClosedException;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
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

    /** How many calls may wait for their answer. */
    static final int CALLS_MAX = 100_000;

    /** How many bytes these may have at least. */
    static final long BYTES_MAX = 64L << 20;

    /** So many of the largest values fit: a value, the one that is expected, and the next call. */
    private static final int LARGEST_VALUES = 4;

    /**
     * Makes the answer of a call from what the protocol said.
     *
     * @param <R> the type of the answer
     */
    @FunctionalInterface
    interface Answer<R> {
        /** What it throws is the caller's error. */
        @Nullable
        R of(boolean applied, @Nullable Slice value);
    }

    /** A call under way; it is the token of its command. */
    private static final class Call<R> {
        final CompletableFuture<@Nullable R> stage = new CompletableFuture<>();
        final Answer<R> answer;
        final int bytes;
        final boolean isWrite;

        Call(Answer<R> answer, int bytes, boolean isWrite) {
            this.answer = answer;
            this.bytes = bytes;
            this.isWrite = isWrite;
        }

        void complete(boolean applied, @Nullable Slice value) {
            R result;
            try {
                result = answer.of(applied, value);
            } catch (RuntimeException | Error e) {
                stage.completeExceptionally(e);
                return;
            }
            stage.complete(result);
        }
    }

    private record Queued(Call<?> call, FunnelCommand command) {}

    private final NodeHandle node;
    private final long bytesMax;

    /** Guarded by this, like everything below. */
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();

    private final Set<Call<?>> underWay = new HashSet<>();
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    private long bytes;
    private int writes;
    private boolean closed;

    CallQueue(NodeHandle node, int valueBytesMax) {
        this.node = node;
        this.bytesMax = Math.max(BYTES_MAX, (long) LARGEST_VALUES * valueBytesMax);
    }

    /**
     * Queues a call, or fails it.
     *
     * @param commandOfToken makes the command; called under the lock, so that commands are in the order of their calls
     */
    <R> CompletableFuture<@Nullable R> call(
            int callBytes, boolean isWrite, Answer<R> answer, Function<Object, FunnelCommand> commandOfToken) {
        Call<R> call = new Call<>(answer, callBytes, isWrite);
        boolean first;
        synchronized (this) {
            if (closed) {
                call.stage.completeExceptionally(closedException());
                return call.stage;
            }
            int calls = queue.size() + underWay.size();
            if (calls >= CALLS_MAX || bytes + callBytes > bytesMax) {
                call.stage.completeExceptionally(new RejectedException(
                        RejectedException.Reason.QUEUE_FULL,
                        calls + " calls of replicated maps with " + bytes
                                + " bytes wait for their answers, allowed are " + CALLS_MAX + " with " + bytesMax
                                + " bytes: wait for earlier calls"));
                return call.stage;
            }
            first = queue.isEmpty();
            bytes += callBytes;
            writes += isWrite ? 1 : 0;
            queue.add(new Queued(call, commandOfToken.apply(call)));
        }
        if (first) {
            node.wake();
        }
        return call.stage;
    }

    @Override
    public synchronized FunnelCommand.@Nullable Calls gather() {
        if (queue.isEmpty()) {
            return null;
        }
        List<FunnelCommand> calls = new ArrayList<>(Math.min(queue.size(), CALLS_PER_TURN));
        long taken = 0;
        while (!queue.isEmpty() && calls.size() < CALLS_PER_TURN && taken < BYTES_PER_TURN) {
            Queued next = queue.remove();
            taken += next.call.bytes;
            underWay.add(next.call);
            calls.add(next.command);
        }
        return new FunnelCommand.Calls(calls);
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

    /** Answers writes. Application thread. */
    void answer(List<FunnelEvent.Written> written) {
        List<FunnelEvent.Written> waited = new ArrayList<>(written.size());
        synchronized (this) {
            for (FunnelEvent.Written write : written) {
                if (ended((Call<?>) write.token())) {
                    waited.add(write);
                }
            }
        }
        for (FunnelEvent.Written write : waited) {
            ((Call<?>) write.token()).complete(write.applied(), write.before());
        }
    }

    /** Answers a read. Application thread. */
    void answer(Object token, @Nullable Slice value) {
        Call<?> call = (Call<?>) token;
        boolean waited;
        synchronized (this) {
            waited = ended(call);
        }
        if (waited) {
            call.complete(true, value);
        }
    }

    /** Fails calls. Application thread. */
    void fail(List<Object> tokens, GeoRepException cause) {
        List<Call<?>> waited = new ArrayList<>(tokens.size());
        synchronized (this) {
            for (Object token : tokens) {
                if (ended((Call<?>) token)) {
                    waited.add((Call<?>) token);
                }
            }
        }
        waited.forEach(call -> call.stage.completeExceptionally(cause));
    }

    /** Whether the call waited until now. Under the lock. */
    private boolean ended(Call<?> call) {
        boolean waited = underWay.remove(call);
        if (waited) {
            bytes -= call.bytes;
            writes -= call.isWrite ? 1 : 0;
        }
        return waited;
    }

    /** Returns a future that completes when no write waits any more and none can come. */
    CompletableFuture<Void> answered() {
        return answered;
    }

    /** Looks whether all writes are answered; reads that wait for the tail do not count. Application thread. */
    void look() {
        boolean none;
        synchronized (this) {
            none = closed && writes == 0;
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
            bytes = 0;
            writes = 0;
        }
        unseen.forEach(call -> call.stage.completeExceptionally(closedException()));
        for (Call<?> call : seen) {
            call.stage.completeExceptionally(
                    call.isWrite
                            ? new IndeterminateException(
                                    "the node ended before the write was committed, and other nodes may"
                                            + " still commit it: read the key on another node, or write again; with an operation"
                                            + " number that takes effect once")
                            : closedException());
        }
        answered.complete(null);
    }

    static ClosedException closedException() {
        return new ClosedException("the node is stopped or stopping: ask another node");
    }
}
