package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import io.georep.protocol.LifeCurve;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Age in simulated time: what a node sends, stores, keeps and walks through per heartbeat is the same in the last tenth
 * of its life as in the first. {@code -Dgeorep.endurance=10} makes the lives ten times as long.
 */
@Tag("alone")
class EnduranceTest {
    private static final int LONGER = Integer.getInteger("georep.endurance", 1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(20);

    /** Few heartbeats make a day, so that a day takes a second. */
    private static final ProtocolConfig CONFIG = ProtocolConfig.builder()
            .heartbeat(HEARTBEAT)
            .heartbeatAway(HEARTBEAT)
            .suspectAfter(HEARTBEAT.multipliedBy(5))
            .terminateAfter(HEARTBEAT.multipliedBy(5))
            .tombstoneLife(Duration.ofHours(24))
            .build();

    private static final long ENTRIES_PER_DAY = 1_000_000_000L;
    private static final int TICKS_PER_DAY = (int) (Duration.ofDays(1).toSeconds() / HEARTBEAT.toSeconds());

    private final OutboxFixture a = new OutboxFixture(CONFIG);

    /** Entries that were ever accepted. */
    private long entries;

    private static LifeCurve curve(String life, int points) {
        return new LifeCurve(
                life, "entries", points, "messages", "bytes sent", "bytes stored", "tables", "pieces of sets");
    }

    private long storedBytes() {
        long[] stored = new long[1];
        a.turn.disk().scanNow(new byte[] {0}, new byte[] {(byte) 255}, (key, value) -> {
            stored[0] += key.length + value.length();
            return true;
        });
        return stored[0];
    }

    private void measure(LifeCurve curve, long storedBytes) {
        long bytes = 0;
        for (TestTurn.Sent sent : a.turn.sent) {
            bytes += sent.body().length();
        }
        Ledger ledger = a.node.inspect().ledger();
        long pieces = 0;
        for (StreamTable table : ledger.tables()) {
            pieces += table.pieces();
        }
        curve.add(
                entries, a.turn.sent.size(), bytes, storedBytes, ledger.tables().size(), pieces);
        a.turn.forget();
    }

    /** Time passes; what the node does because of it is measured. */
    private void pass(LifeCurve curve, Duration time) {
        long end = a.turn.now() + time.toNanos();
        while (a.node.nextDeadlineNanos() <= end) {
            a.turn.advance(Duration.ofNanos(Math.max(0, a.node.nextDeadlineNanos() - a.turn.now())));
            curve.begin();
            a.node.onTimer(a.turn);
            a.node.endOfTurn(a.turn);
            curve.end();
            a.complete();
        }
        a.turn.advance(Duration.ofNanos(end - a.turn.now()));
    }

    /** Three entries of this node all the way, as the application and node b see them. */
    private void fewEntries(String queue) {
        List<OutboxCommand.Put> puts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            puts.add(new OutboxCommand.Put(queue, 1, Slice.utf8("put"), "token"));
        }
        a.node.onCommand(new OutboxCommand.PutAll(puts), a.turn);
        a.settle();
        for (TestTurn.Sent sent : List.copyOf(a.turn.sent(B, OutboxMessages.REPLICATE))) {
            Group group = Group.decode(sent.body());
            a.ack(B, group.stream, OutboxMessages.STATUS_STORED, 0, range(group.first, group.to()));
            a.settle();
            a.node.onCommand(new OutboxCommand.Credit(queue, 3), a.turn);
            a.settle();
            a.forwarded(group.stream, group.first, group.first + 1, group.first + 2);
            a.settle();
            a.confirm(B, OutboxMessages.DELETED, group.stream, range(group.first, group.to()));
            a.settle();
        }
        entries += 3;
    }

    /** So many entries of this node, accepted and over: as ranges, since each of them alone would take the day it is. */
    private void manyEntries(StreamId stream, long count) {
        Ledger ledger = a.node.inspect().ledger();
        StreamTable table = ledger.open(stream, OutboxFixture.QUEUE);
        long from = table.next();
        table.stored(from, from + count, Custody.fresh(EntryState.HELD, List.of(A)));
        ledger.finished(table, range(from, from + count), List.of(), a.turn);
        a.settle();
        entries += count;
    }

    /** A small memory of what is long over, and short logs: whatever grows with age is at its bound soon. */
    private static void soonFull(OutboxProtocol node) {
        node.splitEarly(OutboxBounds.RANGES_MAX, 2_000);
        node.inspect().ledger().archive.streamsMax = 50;
    }

    @BeforeEach
    void tune() {
        a.replaysCompared = false;
        a.tuning = EnduranceTest::soonFull;
        soonFull(a.node);
    }

    @Test
    void aDayOfTrafficLeavesEveryHeartbeatAsItWas() {
        StreamId ofB = new StreamId(B, 7, 0);
        a.stored(1, B); // waits all day: nothing melts into one floor
        StreamId own = a.own();
        a.copy(B, ofB, 0, 1, custody(0, B, A)).settle();
        LifeCurve curve = curve("a heartbeat of a day with 10^9 entries", LONGER * TICKS_PER_DAY);
        long perTick = ENTRIES_PER_DAY / TICKS_PER_DAY;
        for (int tick = 0; tick < LONGER * TICKS_PER_DAY; tick++) {
            fewEntries(OutboxFixture.QUEUE);
            manyEntries(own, perTick - 3);
            long theirs = 1 + tick * perTick;
            a.about(B, OutboxMessages.DELETE, ofB, range(theirs, theirs + perTick));
            a.about(B, OutboxMessages.SETTLED, ofB, range(1, theirs + perTick)).settle();
            if (tick == TICKS_PER_DAY / 20) {
                a.forwarded(own, 0);
                a.credit(1).settle();
            }
            pass(curve, HEARTBEAT);
            measure(curve, storedBytes());
        }
        assertThat(a.table(own).finished.size()).isGreaterThan(LONGER * ENTRIES_PER_DAY / 100 * 99);
        curve.assertFlat();
    }

    /** Each boot is a stream per queue; a day later nobody hears of them any more. */
    @Test
    void aThousandRestartsLeaveABootAsItWas() {
        LifeCurve curve = curve("ten minutes of one boot after another", LONGER * 1500);
        LifeCurve boots = new LifeCurve("a boot after others", "boots", LONGER * 1500, "bytes stored");
        for (int boot = 0; boot < LONGER * 1500; boot++) {
            for (NodeId peer : List.of(B, C)) {
                a.reachable(peer).settle();
            }
            fewEntries("one");
            fewEntries("two");
            pass(curve, Duration.ofMinutes(10));
            measure(curve, storedBytes());
            long stored = storedBytes();
            boots.begin();
            a.reboot(BootKind.PROMPT);
            boots.end();
            boots.add(boot + 1, stored);
        }
        curve.assertFlat();
        boots.assertFlat();
    }

    /** And they end for a node whose boots are short as well, which is when there are many. */
    @Test
    void bootsOfAFewHeartbeatsEndToo() {
        // Boots count for a thousandth of a day at least; and after 2^21 ms the age of the store takes a byte more.
        int full = 1_200;
        LifeCurve curve = curve("a heartbeat of short boots", LONGER * 500);
        for (int boot = 0; boot < full + LONGER * 500; boot++) {
            a.reachable(B).settle();
            fewEntries("one");
            if (boot >= full) {
                pass(curve, HEARTBEAT);
                measure(curve, storedBytes());
            } else {
                a.advance(HEARTBEAT);
                a.turn.forget();
            }
            a.reboot(BootKind.PROMPT);
        }
        curve.assertFlat();
    }

    /** A pod per heartbeat dies before it has confirmed its DELETE, and is forgotten a while later; the stream is never quiet. */
    @Test
    void podsThatDieInTheMiddleLeaveEveryHeartbeatAsItWas() {
        LifeCurve curve = curve("a heartbeat with a pod that dies each time", LONGER * 1000);
        a.stored(1, B);
        StreamTable table = a.table(a.own());
        for (int pod = 0; pod < LONGER * 1000; pod++) {
            Ledger ledger = a.node.inspect().ledger();
            long first = table.next();
            table.stored(first, first + 1, Custody.fresh(EntryState.HELD, List.of(A)));
            ledger.finished(table, range(first, first + 1), List.of(NodeId.of("pod-" + pod)), a.turn);
            a.settle();
            entries++;
            a.node.onPeerForgotten(NodeId.of("pod-" + (pod - 20)));
            a.settle();
            pass(curve, HEARTBEAT);
            measure(curve, storedBytes());
        }
        curve.assertFlat();
    }

    /** A queue per customer: those that are quiet cost nothing per heartbeat. */
    @Test
    void namesThatWereUsedOnceCostNoHeartbeat() {
        LifeCurve curve = curve("a heartbeat with a new queue each time", LONGER * 1000);
        for (int queue = 0; queue < LONGER * 1000; queue++) {
            fewEntries("queue " + queue);
            StreamId theirs = new StreamId(B, 7, queue % 60_000);
            a.about(B, OutboxMessages.DELETE, theirs, range(0, 3)).settle();
            pass(curve, HEARTBEAT);
            measure(curve, 0); // what is known of the names is kept for a day
        }
        curve.assertFlat();
        fewEntries("queue 0");
        assertThat(a.table(new StreamId(A, a.node.inspect().ledger().boot(), 0)).next())
                .as("numbers go on where they were")
                .isEqualTo(6);
    }
}
