package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.Deliveries;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    /** Payloads at hand and those on their way from the store, while a hundred queues have credit for one entry each. */
    @Test
    void whatIsReadForManyStreamsTakesNoMoreThanTheCacheAndComesToAllOfThem() {
        long cacheBytesMax = 2 << 20;
        int streams = 100;
        OutboxContext small = new OutboxContext(
                new HandMadePeers(SELF),
                ProtocolConfig.builder()
                        .cacheBytesMax(cacheBytesMax)
                        .groupBytesMax(64 << 10)
                        .payloadBytesMax(64 << 10)
                        .build(),
                PeerSelection.random());
        Deliveries bounded = new Deliveries(small);
        backlog(small, bounded, "hungry", new StreamId(ORIGIN, 1, 0), 200);
        bounded.credit("hungry", 1_000);
        for (int i = 0; i < streams; i++) {
            backlog(small, bounded, "q" + i, new StreamId(ORIGIN, 2, i), 8);
            bounded.credit("q" + i, 1);
        }
        turn.completeStore();
        Map<String, Integer> served = new TreeMap<>();

        // Three pages at a time, of which the hungry one gets its part.
        for (int i = 0; i < streams / 3 + 20; i++) {
            bounded.endOfTurn(turn);
            long cached = bounded.cachedBytes();
            turn.bytesRead = 0;
            turn.completeStore();
            assertThat(cached + turn.bytesRead).as("bytes in turn %d", i).isLessThanOrEqualTo(cacheBytesMax);
            turn.events(OutboxEvent.Deliver.class)
                    .forEach(deliver ->
                            served.merge(deliver.queue(), deliver.entries().size(), Integer::sum));
            turn.forget();
        }

        assertThat(served).hasSize(streams + 1);
        assertThat(served.remove("hungry")).isGreaterThan(8);
        assertThat(served.values()).allMatch(entries -> entries == 1);
    }

    /** Also when the credit went to another stream while this one waited for the other's page to be read. */
    @Test
    void whoWaitedForAPageWhenTheCreditWasUsedUpIsServedWithTheNext() {
        OutboxContext none = new OutboxContext(
                new HandMadePeers(SELF),
                ProtocolConfig.builder().cacheBytesMax(0).build(),
                PeerSelection.random());
        Deliveries bounded = new Deliveries(none);
        backlog(none, bounded, "q", new StreamId(ORIGIN, 1, 0), 1);
        backlog(none, bounded, "q", new StreamId(ORIGIN, 2, 0), 1);
        turn.completeStore();
        List<StreamId> served = new ArrayList<>();

        for (int i = 0; i < 2; i++) {
            bounded.credit("q", 1);
            for (int turns = 0; turns < 3; turns++) {
                bounded.endOfTurn(turn);
                turn.completeStore();
            }
            turn.events(OutboxEvent.Deliver.class)
                    .forEach(deliver -> deliver.entries().forEach(entry -> served.add(entry.id().stream())));
            turn.forget();
            assertThat(served).hasSize(i + 1);
            assertThat(turn.bytesRead).as("nothing is read in vain").isLessThan((i + 2) * 40_000L);
        }

        assertThat(served).containsExactly(new StreamId(ORIGIN, 1, 0), new StreamId(ORIGIN, 2, 0));
    }

    /** Entries that wait in the store, in groups of one with 40 KB each. */
    private void backlog(OutboxContext of, Deliveries to, String queue, StreamId stream, int entries) {
        StreamTable table = of.ledger.open(stream, queue);
        Custody custody = Custody.fresh(EntryState.HELD, List.of(SELF));
        for (int i = 0; i < entries; i++) {
            List<Slice> payload = List.of(Slice.of(new byte[40_000]));
            of.ledger.stored(table, Group.encode(stream, i, queue, custody, false, payload), custody, turn);
        }
        to.offer(table, RangeList.of(0, entries), null);
    }

    /** A queue whose consumer takes one at a time would keep a whole group in memory, and a thousand queues a thousand. */
    @Test
    void anEntryInHandDoesNotKeepALargeGroupInMemory() {
        StreamId stream = new StreamId(ORIGIN, 1, 0);
        StreamTable table = context.ledger.open(stream, "q");
        Custody custody = Custody.fresh(EntryState.HELD, List.of(SELF));
        List<Slice> payloads = Collections.nCopies(100, Slice.of(new byte[1000]));
        Group group = Group.encode(stream, 0, "q", custody, false, payloads);
        context.ledger.stored(table, group, custody, turn);
        deliveries.offer(table, RangeList.of(0, 100), group);

        deliveries.credit("q", 1);
        deliveries.endOfTurn(turn);
        deliveries.credit("q", 99);
        deliveries.endOfTurn(turn);

        List<OutboxEvent.Deliver> handed = turn.events(OutboxEvent.Deliver.class);
        assertThat(handed.get(0).entries().get(0).payload().array()).hasSizeLessThan(3000);
        assertThat(handed.get(1).entries())
                .as("of which most is needed")
                .allMatch(entry -> entry.payload().array() == group.bytes().array());
        assertThat(handed.get(1).entries()).hasSize(99);
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
        Custody custody = Custody.fresh(EntryState.HELD, List.of(SELF));
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
