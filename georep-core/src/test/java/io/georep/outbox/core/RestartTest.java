package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static io.georep.outbox.core.OutboxFixture.replicate;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.PeerState;
import io.georep.model.StreamId;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.ledger.Snapshot;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a node knows after a restart: facts, snapshots, payloads. */
class RestartTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    @Test
    void everyChangeOutlivesARestart() {
        a.copy(B, OF_B, 0, 6, custody(0, B, A, C))
                .about(B, OutboxMessages.DELETE, OF_B, range(0, 1))
                .settle()
                .become(B, PeerState.TERMINATED)
                .credit(2)
                .settle();
        a.forwarded(OF_B, 1).settle();

        String before = text(a.table(OF_B));
        a.reboot(BootKind.PROMPT);

        assertThat(text(a.table(OF_B))).isEqualTo(before);
        assertThat(a.table(OF_B).duties.untold.owners()).containsOnly(B, C);
    }

    /** All that is durable, in words. */
    private static String text(StreamTable table) {
        TreeMap<String, String> parts = new TreeMap<>();
        table.parts()
                .forEach(part ->
                        parts.put(part.custody().toString(), part.members().toString()));
        return "finished " + table.finished.within(0, Long.MAX_VALUE) + " untold " + table.duties.untold
                + " unreleased "
                + table.duties.unreleased + " unconfirmed " + table.duties.unconfirmed + " dead " + table.dead
                + " prepared "
                + table.prepared + " groups " + table.groups + " covered " + table.covered + " next " + table.next()
                + " parts " + parts;
    }

    @Test
    void whatWasHandedOutBeforeARestartIsPerhapsForwarded() {
        a.stored(3, B).credit(1).settle();
        assertThat(a.deliveries()).isNotEmpty().noneMatch(OutboxEvent.Delivered::possiblySent);

        a.reboot(BootKind.PROMPT);
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 3))
                .credit(3)
                .settle();

        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::cause)
                .containsExactly(RepetitionCause.RESTARTED, null, null);
    }

    @Test
    void deadLettersStaySetAsideAfterARestart() {
        a.stored(2, B).credit(2).settle();
        a.node.onCommand(new OutboxCommand.MakeDeadLetter(new EntryId(a.own(), 0), 3, "broken"), a.turn);
        a.settle();

        a.reboot(BootKind.PROMPT).credit(2).settle();

        assertThat(a.delivered()).containsExactly(1L);
        a.node.onCommand(new OutboxCommand.ReplayDeadLetters(OutboxFixture.QUEUE, null, "replay"), a.turn);
        assertThat(a.settle().delivered()).containsExactly(1L, 0L);
    }

    @Test
    void undecidedEntriesStayUndecidedAfterARestart() {
        a.message(B, OutboxMessages.REPLICATE, replicate(OF_B, 0, 1, custody(0, B, A), true))
                .settle();

        a.reboot(BootKind.PROMPT).become(B, PeerState.TERMINATED).credit(1).settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
        assertThat(a.delivered()).isEmpty();
    }

    @Test
    void noBootNumberIsUsedTwiceEvenWhenTheClockGoesBack() {
        long first = a.node.inspect().ledger().boot();
        a.turn.stepWallClock(Duration.ofDays(-30));
        a.reboot(BootKind.LATE);
        long second = a.node.inspect().ledger().boot();
        a.turn.stepWallClock(Duration.ofDays(-30));
        a.reboot(BootKind.LATE);

        assertThat(second >> 15).isGreaterThan(first >> 15);
        assertThat(a.node.inspect().ledger().boot() >> 15).isGreaterThan(second >> 15);
    }

    @Test
    void payloadsLiveAsLongAsOneEntryOfTheirGroup() {
        a.copy(B, OF_B, 0, 3, custody(0, B, A)).settle();
        assertThat(groupsOnDisk()).isEqualTo(1);

        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 2)).settle();
        assertThat(groupsOnDisk()).isEqualTo(1);

        a.about(B, OutboxMessages.DELETE, OF_B, range(2, 3)).settle();
        assertThat(groupsOnDisk()).isZero();
    }

    private int groupsOnDisk() {
        int[] count = new int[1];
        a.turn.disk().scanNow(OutboxAudit.groupsFrom(), OutboxAudit.groupsTo(), (key, value) -> ++count[0] > 0);
        return count[0];
    }

    @Test
    void aSnapshotSaysWhatTheTablesSay() {
        a.stored(9, B)
                .credit(4)
                .settle()
                .forwarded(a.own(), 0, 2)
                .copy(B, OF_B, 4, 2, custody(3, B, A, C))
                .settle();
        StreamTable own = a.table(a.own());
        Ledger ledger = a.node.inspect().ledger();
        ledger.note(own, Fact.Duty.REPLACED, D, range(4, 5));
        ledger.note(own, Fact.Duty.CLAIMED, C, range(5, 7));
        ledger.note(own, Fact.Mark.DEAD_LETTER, range(1, 2));
        ledger.note(a.table(OF_B), Fact.Mark.PREPARED, range(4, 5));
        ledger.archive.add(new StreamTable(new StreamId(C, 2, 0), OutboxFixture.QUEUE, range(0, 3)));
        Ledger read = new Ledger();

        Snapshot.write(41, ledger, a.turn.store());
        a.turn.completeStore();
        long fact = Snapshot.read(a.turn.disk(), read);

        assertThat(fact).isEqualTo(41);
        assertThat(read.archive.of(new StreamId(C, 2, 0))).hasToString("[0..3]");
        assertThat(read.tables().stream().map(RestartTest::text).toList())
                .isEqualTo(ledger.tables().stream().map(RestartTest::text).toList());
        assertThat(read.find(a.own()).taken).isEqualTo(own.taken);
        assertThat(read.tables()).extracting(table -> table.id).containsExactly(a.own(), OF_B);
    }

    @Test
    void aLongLogIsReplacedByASnapshotAndReadBack() {
        // Ragged ranges make long facts: a few of them are more than the log may hold.
        SequenceSet odd = new SequenceSet();
        for (long sequence = 1; sequence < 1_000_000; sequence += 2) {
            odd.add(sequence);
        }
        StreamTable table = a.node.inspect().ledger().open(OF_B, OutboxFixture.QUEUE);
        for (int i = 0; i < 5; i++) {
            a.node.inspect().ledger().finished(table, odd.all(), List.of(C), a.turn);
        }
        a.settle();

        assertThat(facts()).isZero();
        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 2)).settle();
        a.reboot(BootKind.PROMPT);

        assertThat(a.table(OF_B).finished.floor()).isEqualTo(4 - 2);
        assertThat(a.table(OF_B).finished.contains(999_999)).isTrue();
        assertThat(a.table(OF_B).finished.contains(999_998)).isFalse();
        assertThat(a.table(OF_B).duties.untold.of(C).size()).isEqualTo(500_000);
    }

    private int facts() {
        int[] count = new int[1];
        a.turn.disk().scanNow(OutboxKeys.fact(0), OutboxKeys.fact(Long.MAX_VALUE), (key, value) -> ++count[0] > 0);
        return count[0];
    }
}
