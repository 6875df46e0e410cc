package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.TestTurn;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a heartbeat and a turn cost the outbox does not depend on how many streams wait or how many nodes there are. */
@Tag("alone")
class TickCostTest {
    private static final int WARM_UP = 300;
    private static final int MEASURED = 150;
    private static final int ENDED = 20_000;
    private static final int LISTS = 10;

    /** Bits, and what it takes to find them. */
    private static final int CHUNK_BYTES = 600;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * What heartbeats cost.
     *
     * @param medianNanos processor time of the one in the middle
     * @param bytes that all of them together allocated
     */
    private record Cost(long medianNanos, long bytes) {}

    /** Nothing happens in any of these streams; all of them have to be kept at hand. */
    private static OutboxFixture withIdleStreams(int streams) {
        OutboxFixture a = OutboxFixture.hardened();
        a.replaysCompared = false;
        int each = streams / 3;
        for (int lane = 0; lane < each; lane++) {
            store(a, lane, "waits for its consumer " + lane, B);
            a.copy(B, new StreamId(B, 7, lane), 0, 1, custody(0, B, A));
        }
        for (int lane = each; lane < 2 * each; lane++) {
            StreamId own = store(a, lane, "is over, and c does not know " + lane, B, C);
            a.node.onCommand(new OutboxCommand.Forwarded(List.of(new EntryId(own, 0))), a.turn);
            a.confirm(B, OutboxMessages.DELETED, own, range(0, 1));
        }
        return a.become(C, PeerState.TERMINATED).settle();
    }

    private static StreamId store(OutboxFixture a, int lane, String queue, NodeId... owners) {
        OutboxCommand.Put put = new OutboxCommand.Put(queue, owners.length, Slice.utf8("put"), "token");
        a.node.onCommand(new OutboxCommand.PutAll(List.of(put)), a.turn);
        a.node.endOfTurn(a.turn);
        StreamId own = new StreamId(A, a.node.inspect().ledger().boot(), lane);
        for (NodeId owner : owners) {
            a.ack(owner, own, OutboxMessages.STATUS_STORED, 0, range(0, 1));
        }
        a.turn.completeStore();
        a.turn.forget();
        return own;
    }

    /** B says that it still holds what it is asked about. */
    private static void answer(OutboxFixture a) {
        for (TestTurn.Sent sent : List.copyOf(a.turn.sent(B, OutboxMessages.QUERY))) {
            OutboxMessages.Message query =
                    OutboxMessages.Message.read(OutboxMessages.QUERY, new BinReader(sent.body()));
            a.answer(B, query.stream(), OutboxMessages.ANSWER_HELD, custody(0, B, A), query.ranges());
        }
        a.turn.forget();
        a.node.endOfTurn(a.turn);
        a.turn.completeStore();
    }

    private static Cost ticks(OutboxFixture a) {
        long[] nanos = new long[MEASURED];
        long bytes = 0;
        for (int tick = -WARM_UP; tick < MEASURED; tick++) {
            a.turn.advance(Duration.ofNanos(Math.max(0, a.node.nextDeadlineNanos() - a.turn.now())));
            long bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
            long nanosBefore = THREADS.getCurrentThreadCpuTime();
            a.node.onTimer(a.turn);
            a.node.endOfTurn(a.turn);
            if (tick >= 0) {
                nanos[tick] = THREADS.getCurrentThreadCpuTime() - nanosBefore;
                bytes += THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
            }
            a.turn.completeStore();
            answer(a);
        }
        Arrays.sort(nanos);
        return new Cost(nanos[MEASURED / 2], bytes);
    }

    @Test
    void aHeartbeatDoesNotWalkThroughStreamsInWhichNothingHappens() {
        ticks(withIdleStreams(30));
        Cost few = ticks(withIdleStreams(30));
        Cost many = ticks(withIdleStreams(1_500));
        Cost more = ticks(withIdleStreams(15_000));
        String costs = "30, 1,500 and 15,000 idle streams: " + few + ", " + many + ", " + more;

        assertThat(more.bytes).as("bytes allocated with " + costs).isLessThan(many.bytes * 2);
        assertThat(more.medianNanos).as("processor time with " + costs).isLessThan(many.medianNanos * 4 + 1_000_000);
    }

    /** Entries of b, which is gone for good, that node a adopted and ended: the lists of owners alternate from one to the next. */
    private static OutboxFixture withEnded(int entries) {
        OutboxFixture a = OutboxFixture.hardened();
        a.replaysCompared = false;
        for (int i = 0; i < entries; i++) {
            a.copy(B, OF_B, i, 1, custody(0, B, A, NodeId.of("other-" + i % LISTS)));
        }
        a.become(B, PeerState.TERMINATED);
        a.turn.completeStore();
        a.node.onCommand(new OutboxCommand.Forwarded(ids(0, entries)), a.turn);
        a.node.endOfTurn(a.turn);
        a.turn.completeStore();
        for (int i = 0; i < LISTS; i++) {
            a.confirm(NodeId.of("other-" + i), OutboxMessages.DELETED, OF_B, range(0, entries));
        }
        a.node.endOfTurn(a.turn);
        a.turn.completeStore();
        a.turn.forget();
        return a;
    }

    private static List<EntryId> ids(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(sequence -> new EntryId(OF_B, sequence))
                .toList();
    }

    /** What adopting and ending one more entry allocates. */
    private static long oneMore(OutboxFixture a, long sequence) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        a.copy(B, OF_B, sequence, 1, custody(0, B, A, C));
        a.node.onCommand(new OutboxCommand.Forwarded(ids(sequence, sequence + 1)), a.turn);
        a.node.endOfTurn(a.turn);
        long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
        a.turn.completeStore();
        a.turn.forget();
        return bytes;
    }

    /** The claims by which they were held are kept until b confirms or is forgotten (6.19.3); docs/operate/operations.md has the figure. */
    @Test
    void claimsOfEndedEntriesTakeAFewBitsAndNoTime() {
        OutboxFixture few = withEnded(100);
        OutboxFixture many = withEnded(ENDED);
        Map<Custody, SequenceSet> kept = many.table(OF_B).duties.finishedClaims.of(range(0, ENDED));
        long chunks = kept.values().stream().mapToLong(SequenceSet::pieces).sum();

        assertThat(kept).hasSize(LISTS);
        assertThat(chunks * CHUNK_BYTES).as("bytes").isLessThan(ENDED * 2L);
        ticks(few);
        assertThat(ticks(many).bytes).isLessThan(2 * ticks(few).bytes + 10_000);
        for (int i = 0; i < WARM_UP; i++) {
            oneMore(few, 100 + i);
            oneMore(many, ENDED + i);
        }
        assertThat(oneMore(many, ENDED + WARM_UP)).isLessThan(2 * oneMore(few, 100 + WARM_UP));
        assertThat(few.custodyOf(OF_B, 100 + WARM_UP)).isNull();
    }

    private static OutboxFixture withPeers(int linked, int dead) {
        OutboxFixture a = new OutboxFixture(ProtocolConfig.defaults());
        for (int i = 0; i < linked + dead; i++) {
            a.peers.peer(NodeId.of("peer-" + i)).linked = i < linked;
        }
        return a;
    }

    /** Names of the dead are kept for a week; whoever is there is listed once per heartbeat for each thing to be told. */
    @Test
    void aHeartbeatLooksAtThoseThatAreThere() {
        OutboxFixture a = withPeers(20, 5_000);
        a.peers.looks = 0;
        for (int beat = 0; beat < 10; beat++) {
            a.stored(1, B).forwarded(a.own(), beat);
            a.confirm(B, OutboxMessages.DELETED, a.own(), range(beat, beat + 1)).settle();
            a.advance(Duration.ofSeconds(1));
        }
        assertThat(a.told(NodeId.of("peer-19"), OutboxMessages.SETTLED).isEmpty())
                .isFalse();
        assertThat(a.peers.looks / 10).as("per heartbeat").isLessThanOrEqualTo(3 * 23);
    }

    @Test
    void aTurnLooksAtThoseItChoosesWhateverTheirNumber() {
        OutboxFixture a = withPeers(5_000, 0);
        a.stored(1, B);
        a.peers.looks = 0;
        for (int put = 0; put < 200; put++) {
            a.stored(1, B);
        }
        assertThat(a.peers.looks).isZero();

        a.become(B, PeerState.TERMINATED);
        a.stored(1, C);
        assertThat(a.peers.looks).as("listed anew").isEqualTo(5_002);
        a.peers.peer(C).linked = false;
        a.put(1, 1).settle();
        assertThat(a.told(OutboxFixture.D, OutboxMessages.REPLICATE).isEmpty())
                .as("d takes it, since c is gone")
                .isFalse();
    }
}
