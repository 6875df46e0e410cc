package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
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
import io.georep.protocol.TestTurn;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a heartbeat and a turn cost the outbox does not depend on how many streams wait or how many nodes there are. */
@Tag("alone")
class TickCostTest {
    private static final int WARM_UP = 300;
    private static final int MEASURED = 150;
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
