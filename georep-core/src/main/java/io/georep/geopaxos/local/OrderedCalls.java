package io.georep.geopaxos.local;

import io.georep.geopaxos.OperationNumber;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.protocol.local.NodeHandle;
import io.georep.runtime.CallQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The calls that are not answered. A call whose time is over has failed for its caller, but still counts here: the protocol
 * never gives it up. Calls come on any thread, all else on the application thread.
 */
final class OrderedCalls {
    /** Bytes of all calls together. */
    private static final long BYTES_MAX = 64L << 20;

    /** Something else that this node wants: a division, a join, a removal, a tick. */
    private record Upkeep(Slice operation) {}

    private static final class Call {
        final long number;
        final long deadline;
        final boolean isRead;
        final int bytes;
        final CompletableFuture<@Nullable Slice> stage = new CompletableFuture<>();

        Call(long number, long deadline, boolean isRead, int bytes) {
            this.number = number;
            this.deadline = deadline;
            this.isRead = isRead;
            this.bytes = bytes;
        }
    }

    private final NodeHandle<GeoCommand> node;
    private final long timeout;
    private final Duration allowed;
    private final int most;

    private final TreeMap<Long, Call> open = new TreeMap<>();

    /** The open calls whose callers were told nothing yet, by number. They are due in this order. */
    private final TreeMap<Long, Call> waiting = new TreeMap<>();

    private final Set<Slice> tended = new HashSet<>();
    private final List<CompletableFuture<Void>> whenAnswered = new ArrayList<>();
    private long numbers;
    private long bytes;

    private boolean isClosed;

    OrderedCalls(NodeHandle<GeoCommand> node, OrderedMapSettings settings) {
        this.node = node;
        allowed = settings.timeout();
        timeout = allowed.toNanos();
        most = settings.waitingMax();
    }

    CompletableFuture<@Nullable Slice> ask(Slice operation, @Nullable OperationNumber named, boolean isRead) {
        Call call;
        boolean isFirst;
        boolean isTaken;
        synchronized (this) {
            if (isClosed) {
                throw CallQueue.closedException();
            }
            if (open.size() >= most || bytes + operation.length() > BYTES_MAX) {
                throw new RejectedException(
                        RejectedException.Reason.QUEUE_FULL,
                        open.size() + " calls of ordered maps with " + bytes + " bytes wait on this node, at most "
                                + most + " with " + BYTES_MAX + ": call more slowly");
            }
            call = new Call(++numbers, node.nanos() + timeout, isRead, operation.length());
            open.put(call.number, call);
            isFirst = waiting.isEmpty();
            waiting.put(call.number, call);
            bytes += call.bytes;
            isTaken = node.command(
                    isRead
                            ? new GeoCommand.Read(call, operation)
                            : named == null
                                    ? new GeoCommand.Submit(call, operation)
                                    : new GeoCommand.Submit(
                                            call, named.client(), named.number(), named.acknowledged(), operation));
        }
        if (!isTaken) {
            end(call, null, CallQueue.closedException());
        } else if (isFirst) {
            node.execute(() -> {}); // so that it looks when the next one is due
        }
        return call.stage;
    }

    /** Returns whether such an operation may still be executed. */
    synchronized boolean isUnderWay(@Nullable Slice operation) {
        return operation != null && tended.contains(operation);
    }

    /** The maps are to be looked after. The same wish of other nodes does no harm. */
    synchronized void upkeep(Slice operation) {
        if (!isClosed && tended.add(operation)) {
            node.command(new GeoCommand.Submit(new Upkeep(operation), operation));
        }
    }

    void answered(Object token, @Nullable Slice result) {
        if (token instanceof Call call) {
            end(call, result, null);
        } else {
            endOwn(token);
        }
    }

    /** The protocol did nothing, and will do nothing. Returns whether this was a call. */
    boolean refused(Object token, GeoRepException why) {
        if (token instanceof Call call) {
            end(call, null, why);
            return true;
        }
        return endOwn(token);
    }

    private synchronized boolean endOwn(Object token) {
        return token instanceof Upkeep upkeep && tended.remove(upkeep.operation);
    }

    private void end(Call call, @Nullable Slice result, @Nullable Throwable error) {
        List<CompletableFuture<Void>> told;
        synchronized (this) {
            if (open.remove(call.number) != null) {
                bytes -= call.bytes;
            }
            waiting.remove(call.number);
            told = nobodyWaits();
        }
        if (error == null) {
            call.stage.complete(result);
        } else {
            call.stage.completeExceptionally(error);
        }
        told.forEach(each -> each.complete(null));
    }

    private List<CompletableFuture<Void>> nobodyWaits() {
        if (!waiting.isEmpty()) {
            return List.of();
        }
        List<CompletableFuture<Void>> told = List.copyOf(whenAnswered);
        whenAnswered.clear();
        return told;
    }

    void time(long now) {
        while (true) {
            Call late;
            List<CompletableFuture<Void>> told;
            synchronized (this) {
                late = waiting.isEmpty() ? null : waiting.firstEntry().getValue();
                if (late == null || late.deadline - now > 0) {
                    return;
                }
                waiting.remove(late.number);
                told = nobodyWaits();
            }
            late.stage.completeExceptionally(
                    late.isRead
                            ? new OrderedMapUnavailableException("no answer within " + allowed
                                    + ": too few voters of ordered maps are in reach. Read again, or at another node")
                            : new IndeterminateException(
                                    "no answer within " + allowed
                                            + ": the write may have taken effect, or may still. Read, or repeat it with its number"));
            told.forEach(each -> each.complete(null));
        }
    }

    synchronized long nextDeadlineNanos() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstEntry().getValue().deadline;
    }

    synchronized void close() {
        isClosed = true;
    }

    synchronized CompletableFuture<Void> whenAnswered() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        if (waiting.isEmpty()) {
            stage.complete(null);
        } else {
            whenAnswered.add(stage);
        }
        return stage;
    }

    /** No answer follows. */
    void ended() {
        List<Call> left;
        synchronized (this) {
            isClosed = true;
            left = List.copyOf(open.values());
        }
        for (Call call : left) {
            end(
                    call,
                    null,
                    call.isRead
                            ? CallQueue.closedException()
                            : new IndeterminateException(
                                    "the node ended before the write was answered: it may have taken"
                                            + " effect, or may still. Read, or repeat it with its number, at another node"));
        }
    }
}
