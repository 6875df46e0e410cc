package io.georep.flagons.local;

import io.georep.flagons.core.Consistency;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetEvent;
import io.georep.flagons.core.FleetStatus;
import io.georep.flagons.core.Operation;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.flagons.core.RequestId;
import io.georep.model.Slice;
import io.georep.protocol.local.NodeHandle;
import io.georep.runtime.CallQueue;
import io.georep.runtime.CallingSide;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The fleet of one running node. */
final class LocalFleet extends CallingSide<Fleet, FleetCommand, FleetEvent, FleetEvent> implements Fleet {
    /** How many bytes a call takes besides its key and its value. */
    private static final int OVERHEAD_BYTES = 200;

    private static final CallQueue.Kind<FleetCommand> CALLS = new CallQueue.Kind<>(
            "the fleet",
            CallQueue.BYTES_MAX,
            "the node ended before the outcome was known: ask for the key when the node is started again",
            FleetCommand.Calls::new);

    private final long client = UUID.randomUUID().getMostSignificantBits();
    private final AtomicLong requests = new AtomicLong();

    LocalFleet(NodeHandle<FleetCommand> node) {
        super(node, CALLS);
    }

    @Override
    public Fleet service() {
        return this;
    }

    @Override
    public CompletionStage<Outcome> ask(
            Operation.Kind kind,
            Slice key,
            @Nullable Slice value,
            Consistency consistency,
            OrderKey after,
            int quorum,
            Duration within) {
        Operation operation = new Operation(new RequestId(client, requests.incrementAndGet()), kind, key, value);
        FleetCommand.checkQuorum(operation, consistency, quorum);
        return calls.call(
                OVERHEAD_BYTES + key.length() + (value == null ? 0 : value.length()),
                kind != Operation.Kind.GET,
                answer -> ((FleetEvent.Answered) answer).outcome(),
                token -> new FleetCommand.Submit(operation, consistency, after, quorum, within.toMillis(), token));
    }

    @Override
    public CompletionStage<FleetStatus> status() {
        return calls.call(0, false, answer -> ((FleetEvent.Status) answer).status(), FleetCommand.ReadStatus::new);
    }

    @Override
    public void event(FleetEvent event) {
        if (event instanceof FleetEvent.Answered answered) {
            calls.answer(answered.token(), answered);
        } else if (event instanceof FleetEvent.Status status) {
            calls.answer(status.token(), status);
        }
    }
}
