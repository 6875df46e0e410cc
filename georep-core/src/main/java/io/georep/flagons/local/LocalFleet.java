package io.georep.flagons.local;

import io.georep.concurrent.Registrations;
import io.georep.flagons.FleetConsistency;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetPlace;
import io.georep.flagons.FleetSession;
import io.georep.flagons.FleetStatistics;
import io.georep.flagons.FleetUnavailableException;
import io.georep.flagons.FleetWriters;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetEvent;
import io.georep.flagons.core.FleetOperation;
import io.georep.flagons.core.FleetStatus;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.flagons.core.RequestId;
import io.georep.flagons.core.Writers;
import io.georep.logging.SafeLog;
import io.georep.model.IndeterminateException;
import io.georep.model.Registration;
import io.georep.model.Slice;
import io.georep.protocol.local.NodeHandle;
import io.georep.runtime.CallQueue;
import io.georep.runtime.CallingSide;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fleet maps of one running process. */
final class LocalFleet extends CallingSide<FleetMaps, FleetCommand, FleetEvent, FleetEvent> implements FleetMaps {
    private static final Logger LOG = LoggerFactory.getLogger(LocalFleet.class);

    /** How many bytes a call takes besides its key and its value. */
    private static final int OVERHEAD_BYTES = 200;

    private static final CallQueue.Kind<FleetCommand> CALLS = new CallQueue.Kind<>(
            "the fleet",
            CallQueue.BYTES_MAX,
            "the node ended before the outcome was known: the change may have taken effect. Get the key at another node, or"
                    + " repeat the call there with its request",
            FleetCommand.Calls::new);

    private final NodeHandle<FleetCommand> node;
    private final Registrations<Boolean, Consumer<FleetEvent.Overturned>> overturned = new Registrations<>(count -> {});
    private final FleetWriters writers;
    final boolean isClient;
    final Watches watches;

    LocalFleet(NodeHandle<FleetCommand> node, boolean isClient, FleetWriters writers) {
        super(node, CALLS);
        this.node = node;
        this.isClient = isClient;
        this.writers = writers;
        watches = new Watches(node, this::read, this::list);
    }

    @Override
    public FleetMaps service() {
        return this;
    }

    @Override
    public <K, V> FleetMap<K, V> map(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        return new LocalFleetMap<>(this, new FleetSpace<>(name, keys, values));
    }

    static FleetPlace place(OrderKey key) {
        return new FleetPlace(key.time(), key.source());
    }

    private static OrderKey key(FleetPlace place) {
        return new OrderKey(place.time(), place.source());
    }

    static UUID uuid(RequestId request) {
        return new UUID(request.client(), request.number());
    }

    /** Asks, and tells the session of the answer. A get of a session does not go back, whatever its consistency is. */
    CompletableFuture<Outcome> ask(FleetOperation.Kind kind, Slice key, @Nullable Slice value, FleetOptions options) {
        FleetSession session = options.session();
        OrderKey seen = session == null ? OrderKey.FIRST : key(session.seen());
        long begun = node.nanos();
        CompletableFuture<Outcome> answer = askOnce(kind, key, value, options, seen);
        if (session == null) {
            return answer;
        }
        if (kind == FleetOperation.Kind.GET && options.consistency() == FleetConsistency.ANY) {
            answer = answer.thenCompose(outcome -> {
                if (outcome.status() == Outcome.Status.UNSURE || outcome.place().compareTo(seen) >= 0) {
                    return CompletableFuture.completedFuture(outcome);
                }
                // Also if the time is over: an answer that goes back is none.
                long left = options.deadline().toMillis() - (node.nanos() - begun) / 1_000_000;
                FleetOptions behind = FleetOptions.CONVERGING.within(Duration.ofMillis(Math.max(1, left)));
                return askOnce(kind, key, value, behind, seen);
            });
        }
        return answer.thenApply(outcome -> {
            session.saw(place(outcome.place()));
            return outcome;
        });
    }

    private CompletableFuture<Outcome> askOnce(
            FleetOperation.Kind kind, Slice key, @Nullable Slice value, FleetOptions options, OrderKey after) {
        UUID name = options.request() == null ? UUID.randomUUID() : options.request();
        RequestId request = new RequestId(name.getMostSignificantBits(), name.getLeastSignificantBits());
        FleetOperation operation = signed(new FleetOperation(request, kind, key, value));
        FleetCommand.checkQuorum(operation, options.consistency(), options.quorum());
        boolean isWrite = operation.changes();
        return calls.call(
                OVERHEAD_BYTES + key.length() + (value == null ? 0 : value.length()),
                isWrite,
                answer -> outcome(answer, isWrite, name, options.deadline()),
                token -> new FleetCommand.Submit(
                        operation,
                        options.consistency(),
                        after,
                        options.quorum(),
                        options.deadline().toMillis(),
                        token));
    }

    private FleetOperation signed(FleetOperation operation) {
        if (writers.keys().isEmpty() || !operation.changes()) {
            return operation;
        }
        if (writers.own() == null) {
            throw new FleetUnavailableException(
                    "node " + node.nodeName()
                            + " has no key of a writer of this fleet, so it only reads: give it one, or ask a node that has one");
        }
        return Writers.signed(operation, writers.own(), node.wallMillis());
    }

    private Outcome outcome(FleetEvent answer, boolean isWrite, UUID request, Duration deadline) {
        if (answer instanceof FleetEvent.Refused refused) {
            throw new FleetUnavailableException(
                    "node " + node.nodeName() + " takes no operation on the fleet now: " + refused.why());
        }
        Outcome outcome = ((FleetEvent.Answered) answer).outcome();
        if (isWrite && outcome.status() == Outcome.Status.UNSURE) {
            throw new IndeterminateException("the outcome of the change was not known within " + deadline
                    + ": it may have taken effect and may still do. Get the key, or repeat the call with request "
                    + request);
        }
        return outcome;
    }

    private CompletableFuture<Outcome> read(Slice key, OrderKey after) {
        return askOnce(FleetOperation.Kind.GET, key, null, FleetOptions.CONVERGING, after);
    }

    private CompletableFuture<Outcome> list(Slice question) {
        return askOnce(FleetOperation.Kind.LIST, question, null, FleetOptions.CONVERGING, OrderKey.FIRST);
    }

    @Override
    public CompletableFuture<FleetStatistics> readStatistics() {
        return calls.call(
                0, false, answer -> statistics(((FleetEvent.Status) answer).status()), FleetCommand.ReadStatus::new);
    }

    private FleetStatistics statistics(FleetStatus status) {
        StringBuilder group = new StringBuilder();
        for (int bit = 0; bit < status.self().depth(); bit++) {
            group.append(status.self().position() << bit < 0 ? '1' : '0');
        }
        return new FleetStatistics(
                group.toString(),
                status.members(),
                status.known(),
                status.isComplete(),
                isClient,
                status.operations(),
                status.holes(),
                status.refused(),
                status.repaired(),
                status.nodes(),
                status.isCutOff(),
                status.isClockOff(),
                status.holeRate(),
                status.stableMillis());
    }

    Registration onOverturned(Consumer<FleetEvent.Overturned> callback) {
        return overturned.add(true, callback);
    }

    @Override
    public void event(FleetEvent event) {
        if (event instanceof FleetEvent.Answered answered) {
            calls.answer(answered.token(), answered);
        } else if (event instanceof FleetEvent.Refused refused) {
            calls.answer(refused.token(), refused);
        } else if (event instanceof FleetEvent.Status status) {
            calls.answer(status.token(), status);
        } else if (event instanceof FleetEvent.Passed passed) {
            watches.passed(passed.event());
        } else if (event instanceof FleetEvent.Hears hears) {
            watches.hears(hears.all());
        } else if (event instanceof FleetEvent.Overturned told) {
            overturned.of(true).forEach(each -> each.call(callback -> callback.accept(told), this::failed));
        }
    }

    private void failed(Throwable cause) {
        SafeLog.log(LOG, "Node {}: a callback for overturned changes failed", node.nodeName(), cause);
    }

    @Override
    public void time(long nowNanos) {
        super.time(nowNanos);
        watches.time(nowNanos);
    }

    @Override
    public long nextDeadlineNanos() {
        return watches.nextDeadlineNanos();
    }

    @Override
    public void close() {
        super.close();
        watches.close();
    }
}
