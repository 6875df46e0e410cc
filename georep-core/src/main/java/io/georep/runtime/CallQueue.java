package io.georep.runtime;

import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.TurnSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The calls of all threads on their way to a protocol, in order, and those that wait for their answer. Thread-safe.
 *
 * @param <C> the commands of the protocol
 * @param <A> what the protocol answers
 */
public final class CallQueue<C, A> implements TurnSource<C> {
    private static final int CALLS_PER_TURN = 1024;
    private static final long BYTES_PER_TURN = 4L << 20;

    /** How many calls may wait for their answer. */
    public static final int CALLS_MAX = 100_000;

    /** How many bytes these may usually have. */
    public static final long BYTES_MAX = 64L << 20;

    /**
     * How one protocol's calls are named, bounded, and made into commands.
     *
     * @param calls who is called, for messages
     * @param bytesMax how many bytes the calls that wait may have
     * @param unknown what becomes of a write that the protocol has seen and not answered when the node ends
     * @param command makes one command of several
     */
    public record Kind<C>(String calls, long bytesMax, String unknown, Function<List<C>, C> command) {}

    /**
     * Makes the result of a call from what the protocol answered. What it throws is the caller's error.
     *
     * @param <A> what the protocol answers
     * @param <R> the type of the result
     */
    @FunctionalInterface
    public interface Result<A, R> {
        /** Application thread. */
        @Nullable
        R of(A answer);
    }

    /** A call under way; it is the token of its command. */
    private static final class Call<A, R> {
        final CompletableFuture<@Nullable R> stage = new CompletableFuture<>();
        final Result<A, R> result;
        final int bytes;
        final boolean isWrite;

        Call(Result<A, R> result, int bytes, boolean isWrite) {
            this.result = result;
            this.bytes = bytes;
            this.isWrite = isWrite;
        }

        void complete(A answer) {
            R made;
            try {
                made = result.of(answer);
            } catch (RuntimeException | Error e) {
                stage.completeExceptionally(e);
                return;
            }
            stage.complete(made);
        }
    }

    private record Queued<C, A>(Call<A, ?> call, C command) {}

    private final NodeHandle<C> node;
    private final Kind<C> kind;

    /** Guarded by this, like everything below. */
    private final ArrayDeque<Queued<C, A>> queue = new ArrayDeque<>();

    private final Set<Call<A, ?>> underWay = new HashSet<>();
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    /** The application thread while it answers calls; else null. */
    private @Nullable Thread answering;

    /**
     * Whether only calls made by callbacks are queued, and the node was not woken for them. If it were, it would take
     * the first of these calls alone. It is woken when the callbacks under way have returned, or by the next call of
     * another thread. A node also turns by itself now and then, so a callback that takes long does not keep its calls
     * back for long.
     */
    private boolean isUntold;

    private long bytes;
    private int writes;
    private boolean closed;

    public CallQueue(NodeHandle<C> node, Kind<C> kind) {
        this.node = node;
        this.kind = kind;
    }

    /**
     * Queues a call, or fails it. Any thread.
     *
     * @param commandOfToken makes the command; called under the lock, so that commands are in the order of their calls
     */
    public <R> CompletableFuture<@Nullable R> call(
            int callBytes, boolean isWrite, Result<A, R> result, Function<Object, C> commandOfToken) {
        Call<A, R> call = new Call<>(result, callBytes, isWrite);
        boolean wakes;
        synchronized (this) {
            if (closed) {
                call.stage.completeExceptionally(closedException());
                return call.stage;
            }
            int calls = queue.size() + underWay.size();
            if (calls >= CALLS_MAX || bytes + callBytes > kind.bytesMax) {
                call.stage.completeExceptionally(new RejectedException(
                        RejectedException.Reason.QUEUE_FULL,
                        calls + " calls of " + kind.calls + " with " + bytes
                                + " bytes wait for their answers, allowed are " + CALLS_MAX + " with " + kind.bytesMax
                                + " bytes: wait for earlier calls"));
                return call.stage;
            }
            boolean isAlone = queue.isEmpty() || isUntold;
            isUntold = isAlone && Thread.currentThread() == answering;
            wakes = isAlone && !isUntold;
            queue.add(new Queued<>(call, commandOfToken.apply(call)));
            bytes += callBytes;
            writes += isWrite ? 1 : 0;
        }
        if (wakes) {
            node.wake();
        }
        return call.stage;
    }

    @Override
    public synchronized @Nullable C gather() {
        if (queue.isEmpty()) {
            return null;
        }
        isUntold = false;
        List<C> commands = new ArrayList<>(Math.min(queue.size(), CALLS_PER_TURN));
        long taken = 0;
        while (!queue.isEmpty() && commands.size() < CALLS_PER_TURN && taken < BYTES_PER_TURN) {
            Queued<C, A> next = queue.element();
            underWay.add(next.call); // first, so that a failure in the next lines leaves the call where end() finds it
            queue.remove();
            taken += next.call.bytes;
            commands.add(next.command);
        }
        return kind.command.apply(commands);
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

    /** Returns whether it takes no further calls. Any thread. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Answers a call; one that does not wait any more is passed over, here and below. Application thread. */
    public void answer(Object token, A answer) {
        answer(List.of(token), each -> each, each -> answer);
    }

    /** Answers calls together. Application thread. */
    public <T> void answer(List<T> answers, Function<? super T, Object> tokenOf, Function<? super T, A> answerOf) {
        complete(
                waited(answers, tokenOf),
                tokenOf,
                answer -> call(tokenOf.apply(answer)).complete(answerOf.apply(answer)));
    }

    /** If this breaks off for lack of memory, the calls that are left end with the node, which stops for the same reason. */
    private <T> void complete(List<T> waited, Function<? super T, Object> tokenOf, Consumer<? super T> completion) {
        int done = 0;
        try {
            while (done < waited.size()) {
                completion.accept(waited.get(done));
                done++;
            }
        } finally {
            tellOfCallbacks(waited.subList(done, waited.size()), tokenOf);
        }
    }

    private <T> void tellOfCallbacks(List<T> brokenOff, Function<? super T, Object> tokenOf) {
        boolean isTold;
        synchronized (this) {
            answering = null;
            for (T answer : brokenOff) {
                Call<A, ?> call = call(tokenOf.apply(answer));
                underWay.add(call);
                bytes += call.bytes;
                writes += call.isWrite ? 1 : 0;
            }
            isTold = isUntold;
            isUntold = false;
        }
        if (isTold) {
            node.wake();
        }
    }

    /** Fails calls. Application thread. */
    public void fail(List<Object> tokens, Throwable cause) {
        complete(
                waited(tokens, each -> each),
                each -> each,
                token -> call(token).stage.completeExceptionally(cause));
    }

    /**
     * Returns the futures that waited for the writes that are now answered. Completing them calls applications, so do it
     * outside the lock.
     */
    private <T> List<T> waited(List<T> answers, Function<? super T, Object> tokenOf) {
        List<T> waited = new ArrayList<>(answers.size());
        synchronized (this) {
            answering = Thread.currentThread();
            for (T answer : answers) {
                Call<A, ?> call = call(tokenOf.apply(answer));
                if (underWay.remove(call)) {
                    bytes -= call.bytes;
                    writes -= call.isWrite ? 1 : 0;
                    waited.add(answer);
                }
            }
        }
        return waited;
    }

    @SuppressWarnings("unchecked") // commands carry no other tokens
    private Call<A, ?> call(Object token) {
        return (Call<A, ?>) token;
    }

    /** Returns a future that completes when no write waits any more and none can come. */
    public CompletableFuture<Void> answered() {
        return answered;
    }

    /** Looks whether all writes are answered; reads do not count, since they may wait for another node. Application thread. */
    public void look() {
        boolean none;
        synchronized (this) {
            none = closed && writes == 0;
        }
        if (none) {
            answered.complete(null);
        }
    }

    /** Fails everything that still waits: the node has ended. Application thread; once more if memory was at its end. */
    public void end() {
        List<Call<A, ?>> unseen = new ArrayList<>();
        List<Call<A, ?>> seen;
        synchronized (this) {
            closed = true;
            queue.forEach(queued -> unseen.add(queued.call));
            seen = List.copyOf(underWay);
        }
        ClosedException tooLate = closedException();
        IndeterminateException unknown = new IndeterminateException(kind.unknown);
        unseen.forEach(call -> call.stage.completeExceptionally(tooLate));
        seen.forEach(call -> call.stage.completeExceptionally(call.isWrite ? unknown : tooLate));
        synchronized (this) {
            queue.clear();
            underWay.clear();
            bytes = 0;
            writes = 0;
        }
        answered.complete(null);
    }

    /** Returns the error of a call that comes too late. */
    public static ClosedException closedException() {
        return new ClosedException("the node is stopped or stopping: ask another node");
    }
}
