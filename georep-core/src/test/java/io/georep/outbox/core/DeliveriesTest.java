package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which entries are handed to the application, and what it costs to find them. */
class DeliveriesTest {
    private static final NodeId SELF = NodeId.of("solo");
    private static final NodeId ORIGIN = NodeId.of("other");
    private static final int MANY = 30_000;

    private final TestTurn turn = new TestTurn();
    private final OutboxContext context =
            new OutboxContext(new HandMadePeers(SELF), ProtocolConfig.defaults(), PeerSelection.random());
    private final Deliveries deliveries = new Deliveries(context);

    @Test
    void entriesOfAStreamThatWasForgottenWhileNobodyTookThemAreHandedOutWhenItOpensAgain() {
        StreamId stream = new StreamId(ORIGIN, 1, 0);
        StreamTable before = ready(stream, "q", 0);
        RangeList over = RangeList.of(0, 1);
        deliveries.withdraw(before, over);
        context.ledger.finished(before, over, List.of(), turn);
        context.ledger.forget(before);

        ready(stream, "q", 1);
        deliveries.credit("q", 10);

        assertThat(handedOut()).containsExactly(1L);
    }

    @Test
    void creditIsKeptWhileThereIsNothingToHandOut() {
        deliveries.credit("q", 1);
        assertThat(handedOut()).isEmpty();

        ready(new StreamId(ORIGIN, 1, 0), "q", 0);
        ready(new StreamId(ORIGIN, 2, 0), "q", 1);
        assertThat(handedOut()).containsExactly(0L);
        assertThat(handedOut()).isEmpty();

        deliveries.credit("q", 1);
        assertThat(handedOut()).containsExactly(1L);
    }

    @Test
    void streamsOfOneQueueTakeTurns() {
        StreamId first = new StreamId(ORIGIN, 1, 0);
        StreamId second = new StreamId(ORIGIN, 2, 0);
        for (long sequence = 0; sequence < 600; sequence++) {
            ready(first, "q", sequence);
        }
        ready(second, "q", 1000);
        deliveries.credit("q", 300);

        assertThat(handedOut()).contains(1000L).hasSize(300);
    }

    @Test
    void aTurnCostsTheSameHoweverManyQueuesHaveConsumersOrEntries() {
        ready(new StreamId(ORIGIN, 1, 0), "busy", 0);
        long few = nanosPerTurn();
        for (int i = 0; i < MANY; i++) {
            deliveries.credit("consumed " + i, 100);
            ready(new StreamId(ORIGIN, 2, i), "filled " + i, 0);
        }
        long many = nanosPerTurn();

        // Looking at each queue would take some hundred times as long.
        assertThat(many).isLessThan(20 * few);
    }

    /** The best of several looks, so that pauses of the machine do not count. */
    private long nanosPerTurn() {
        long best = Long.MAX_VALUE;
        for (int look = 0; look < 20; look++) {
            long begin = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                ready(new StreamId(ORIGIN, 1, 0), "busy", ++busySequence);
                deliveries.credit("busy", 1);
                deliveries.endOfTurn(turn);
            }
            best = Math.min(best, (System.nanoTime() - begin) / 20);
            turn.forget();
        }
        return best;
    }

    private long busySequence;

    private StreamTable ready(StreamId stream, String queue, long sequence) {
        StreamTable table = context.ledger.open(stream, queue);
        Custody custody = Custody.fresh(EntryState.STORED, List.of(SELF));
        Slice payload = Slice.of(Long.toString(sequence).getBytes(StandardCharsets.UTF_8));
        Group group = Group.encode(stream, sequence, queue, custody, false, List.of(payload));
        context.ledger.stored(table, group, custody, turn);
        deliveries.offer(table, RangeList.of(sequence, sequence + 1), group);
        return table;
    }

    /** Numbers of the entries handed out since the last look. */
    private List<Long> handedOut() {
        deliveries.endOfTurn(turn);
        turn.completeStore();
        List<Long> sequences = new ArrayList<>();
        for (OutboxEvent.Deliver deliver : turn.events(OutboxEvent.Deliver.class)) {
            deliver.entries().forEach(entry -> sequences.add(entry.id().sequence()));
        }
        turn.forget();
        return sequences;
    }
}
