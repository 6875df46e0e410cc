package io.georep.geopaxos.local;

import io.georep.codec.MalformedException;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OperationNumber;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.geopaxos.OrderedMapsRestoration;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.geopaxos.TransactionFailedException;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.map.Bounds;
import io.georep.geopaxos.core.map.MapClock;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.map.Procedure;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ordered maps of one running node. */
final class LocalOrderedMaps implements LocalSide<OrderedMaps, GeoCommand, GeoEvent>, OrderedMaps {
    private final NodeHandle<GeoCommand> node;
    private final CallerReads reads;
    private final LongSupplier nanos;
    private final LongSupplier millis;
    private final List<Procedure> procedures;

    /** Has no state, and knows which transactions there are. */
    private final OrderedMapService checks;

    private final OrderedCalls calls;
    final ChangeFeed feed;
    private final Bounds bounds;
    private final MapClock clock;
    private volatile MapClock.@Nullable Reading reading;

    /** The tick that this node proposed last. */
    private @Nullable Slice tick;

    LocalOrderedMaps(NodeHandle<GeoCommand> node, NodeId self, OrderedMapSettings settings, CallerReads reads) {
        this.node = node;
        this.reads = reads;
        nanos = node::nanos;
        millis = node::wallMillis;
        List<NodeId> nodes = new ArrayList<>(settings.voters());
        nodes.addAll(settings.replicas());
        clock = new MapClock(
                self.value(),
                Math.floorMod(nodes.indexOf(self), nodes.size() + 1),
                settings.lease().toNanos());
        List<Procedure> typed = new ArrayList<>();
        settings.transactions().forEach(each -> typed.add(new TypedProcedure<>(each)));
        procedures = List.copyOf(typed);
        checks = new OrderedMapService(procedures);
        calls = new OrderedCalls(node, settings);
        feed = new ChangeFeed(node.nodeName());
        bounds = new Bounds(settings.keysMax(), settings.bytesMax());
    }

    /** Makes an empty state for the protocol. */
    Service state() {
        return new TendedService(
                new OrderedMapService(procedures, bounds),
                calls::upkeep,
                new TendedService.Clock() {
                    @Override
                    public void shows(MapClock.@Nullable Reading now) {
                        reading = now;
                        node.execute(() -> {}); // so that it looks when the next tick is due
                    }

                    @Override
                    public boolean isMine(MapClock.Reading now) {
                        return clock.isMine(now);
                    }
                },
                feed);
    }

    @Override
    public OrderedMaps service() {
        return this;
    }

    @Override
    public <K, V> OrderedMap<K, V> map(MapSchema<K, V> schema) {
        return new LocalOrderedMap<>(this, new MapSpace<>(schema));
    }

    @Override
    public <A, R> CompletionStage<R> call(
            MapTransaction<A, R> transaction, A argument, @Nullable OperationNumber operation) {
        String id = transaction.name() + "/" + transaction.version();
        if (!checks.procedures().contains(id)) {
            throw new IllegalArgumentException(
                    "the settings of ordered maps have no transaction " + id + ", they have " + checks.procedures());
        }
        return write(
                () -> {
                    Slice bytes = MapSpace.argument(transaction).encode(argument);
                    MapOperation.Call call = new MapOperation.Call(transaction.name(), transaction.version(), bytes);
                    String refusal = checks.refusal(call);
                    if (refusal != null) {
                        throw new TransactionFailedException(refusal);
                    }
                    return call;
                },
                operation,
                MapResult.Returned.class,
                done -> MapSpace.result(transaction).decode(done.result()));
    }

    @Override
    public CompletableFuture<OrderedMapsLayout> replace(NodeId removed, NodeId added, boolean dryRun) {
        return change(removed, added, dryRun);
    }

    @Override
    public CompletableFuture<OrderedMapsLayout> addReplica(NodeId added, boolean dryRun) {
        return change(null, added, dryRun);
    }

    @Override
    public CompletableFuture<OrderedMapsLayout> removeReplica(NodeId removed, boolean dryRun) {
        return change(removed, null, dryRun);
    }

    @Override
    public CompletableFuture<OrderedMapsLayout> addGroup(List<NodeId> voters, boolean dryRun) {
        if (voters.isEmpty()) {
            throw new IllegalArgumentException("a group has voters");
        }
        return change(token -> new GeoCommand.Change(token, null, null, voters, dryRun));
    }

    @Override
    public CompletableFuture<OrderedMapsRestoration> restoreGroup(
            int group, List<NodeId> lost, List<NodeId> voters, boolean dryRun) {
        CompletableFuture<OrderedMapsRestoration> plan =
                change(token -> new GeoCommand.Restore(token, group, lost, voters, true));
        return dryRun
                ? plan
                : plan.thenCompose(known -> this.<OrderedMapsLayout>change(
                                token -> new GeoCommand.Restore(token, group, lost, voters, false))
                        .thenApply(layout -> new OrderedMapsRestoration(
                                group, layout, known.executed(), known.kept(), known.others())));
    }

    private CompletableFuture<OrderedMapsLayout> change(
            @Nullable NodeId removed, @Nullable NodeId added, boolean isDry) {
        return change(token -> new GeoCommand.Change(token, removed, added, isDry));
    }

    @SuppressWarnings("unchecked") // each command has its answer
    private <T> CompletableFuture<T> change(Function<Object, GeoCommand> command) {
        return node.<Object>ask(command).thenApply(answer -> {
            if (answer instanceof GeoEvent.Refused refused) {
                throw refused.reason() == GeoEvent.Reason.INVALID
                        ? new IllegalArgumentException(refused.why())
                        : error(node.nodeName(), refused);
            }
            return (T) answer;
        });
    }

    @Override
    public CompletableFuture<OrderedMapsStatistics> readStatistics() {
        return node.<OrderedMapsStatistics>ask(GeoCommand.ReadStatistics::new);
    }

    @Override
    public CompletableFuture<OrderedMapsPlacement> readPlacement(String map, Slice from, int most) {
        MapSpace<String, String> space =
                new MapSpace<>(new MapSchema<>(map, PayloadCodec.string(), PayloadCodec.string()));
        if (from.length() > KEY_BYTES_MAX || most < 1 || most > OrderedMapsPlacement.LEAVES_MAX) {
            throw new IllegalArgumentException("a key of " + from.length() + " bytes and " + most
                    + " leaves, allowed are " + KEY_BYTES_MAX + " and 1 to " + OrderedMapsPlacement.LEAVES_MAX);
        }
        return node.<OrderedMapsPlacement>ask(
                        token -> new GeoCommand.ReadPlacement(token, space.full(from), space.end, most))
                .thenApply(space::own);
    }

    /** Returns the part of the state that a key belongs to, if this node may read it at this moment; null otherwise. */
    CallerReads.@Nullable Part part(byte[] begin, byte[] rest) {
        node.requireRunning();
        return reads.part(begin, rest, nanos, millis);
    }

    /** Waits for a read: until its time is over at the longest. */
    <R> R await(String map, Supplier<CompletionStage<R>> read) {
        if (node.onApplicationThread()) {
            throw new IllegalStateException("a read of ordered map '" + map + "' would have to wait on the application"
                    + " thread, which brings its answer: use get(key), or read on another thread");
        }
        try {
            return read.get().toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException typed) {
                throw typed;
            }
            throw e;
        }
    }

    <T extends MapResult, R> CompletionStage<R> read(
            Supplier<MapOperation> operation, Class<T> type, Function<T, R> result) {
        return ask(operation, null, true, type, result);
    }

    <T extends MapResult, R> CompletionStage<R> write(
            Supplier<MapOperation> operation, @Nullable OperationNumber number, Class<T> type, Function<T, R> result) {
        return ask(operation, number, false, type, result);
    }

    private <T extends MapResult, R> CompletionStage<R> ask(
            Supplier<MapOperation> operation,
            @Nullable OperationNumber number,
            boolean isRead,
            Class<T> type,
            Function<T, R> result) {
        CompletableFuture<@Nullable Slice> answer;
        try {
            node.requireRunning();
            answer = calls.ask(MapOperation.encode(operation.get()), number, isRead);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        // It has no methods by which a caller could complete it.
        return answer.thenApply(bytes -> result.apply(typed(bytes, type))).minimalCompletionStage();
    }

    private static <T extends MapResult> T typed(@Nullable Slice bytes, Class<T> type) {
        if (bytes == null) {
            throw new IndeterminateException(
                    "the result is not known: the write may have taken effect, or may still. Its client has acknowledged its"
                            + " number, or this node lost its state meanwhile, or the node is gone that made the call for it."
                            + " Read, or repeat it with its number");
        }
        MapResult result;
        try {
            result = MapResult.decode(bytes);
        } catch (MalformedException e) {
            throw new IllegalStateException("a result that cannot be read", e);
        }
        if (result instanceof MapResult.Failed failed) {
            throw new TransactionFailedException(failed.reason());
        }
        if (!type.isInstance(result)) {
            throw new IllegalStateException("the number of this operation was given to another one before, whose result"
                    + " is of the kind " + result.getClass().getSimpleName());
        }
        return type.cast(result);
    }

    @Override
    public void event(GeoEvent event) {
        if (event instanceof GeoEvent.Answered answered) {
            calls.answered(answered.token(), answered.result());
        } else if (event instanceof GeoEvent.Refused refused) {
            if (!calls.refused(refused.token(), error(node.nodeName(), refused))) {
                node.answer(refused.token(), refused);
            }
        } else if (event instanceof GeoEvent.News told) {
            feed.tell(told.news());
        } else if (event instanceof GeoEvent.Layout it) {
            node.answer(it.token(), it.layout());
        } else if (event instanceof GeoEvent.Restored it) {
            node.answer(it.token(), it.restoration());
        } else if (event instanceof GeoEvent.Placed read) {
            node.answer(read.token(), read.placement());
        } else if (event instanceof GeoEvent.Statistics read) {
            node.answer(read.token(), read.statistics());
        } else {
            VoterLog.tell(node.nodeName(), event);
        }
    }

    /** Returns what the caller is told. */
    static GeoRepException error(String node, GeoEvent.Refused refused) {
        String message = "node " + node + " takes no such request now: " + refused.why();
        return switch (refused.reason()) {
            case OPEN, WAITING -> new RejectedException(RejectedException.Reason.QUEUE_FULL, message);
            case FULL, KEPT -> new RejectedException(RejectedException.Reason.STORE_FULL, refused.why());
            case BYTES, KEYS -> new RejectedException(RejectedException.Reason.PAYLOAD_TOO_LARGE, message);
            default -> new OrderedMapUnavailableException(message);
        };
    }

    @Override
    public void time(long nowNanos) {
        calls.time(nowNanos);
        Slice next = clock.look(reading, () -> calls.isUnderWay(tick), node.nanos());
        if (next != null) {
            tick = next;
            calls.upkeep(next);
        }
    }

    @Override
    public long nextDeadlineNanos() {
        long call = calls.nextDeadlineNanos();
        long next = clock.nextDeadlineNanos();
        return next == Long.MAX_VALUE || (call != Long.MAX_VALUE && call - next < 0) ? call : next;
    }

    @Override
    public void close() {
        calls.close();
        feed.close();
    }

    @Override
    public CompletableFuture<Void> answered() {
        return calls.whenAnswered();
    }

    @Override
    public void ended() {
        calls.ended();
    }
}
