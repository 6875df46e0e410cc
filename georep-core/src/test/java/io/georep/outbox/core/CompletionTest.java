package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.Bound;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.StreamId;
import io.georep.outbox.core.ledger.Archive;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of an entry (6.5, 6.9), message by message. */
class CompletionTest {
    private static final Duration TICK = Duration.ofMillis(1100);
    private static final ProtocolConfig SHORT_MEMORY =
            ProtocolConfig.builder().tombstoneLife(Duration.ofMinutes(1)).build();

    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxFixture withForwarded() {
        a.stored(3, B, C).credit(3).settle().turn.forget();
        return a.forwarded(a.own(), 1).settle();
    }

    @Test
    void aForwardedEntryIsDeletedAtAllOtherOwners() {
        withForwarded();

        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[1..2]");
        assertThat(a.told(C, OutboxMessages.DELETE)).hasToString("[1..2]");
        assertThat(a.custodyOf(a.own(), 1)).isNull();
    }

    /** Whoever ended it may know another list. */
    @Test
    void aHolderThatLearnsThatItsEntryIsOverTellsTheOtherOwners() {
        a.stored(2, B, C).turn.forget();

        a.about(B, OutboxMessages.DELETE, a.own(), range(0, 1)).settle();

        assertThat(a.told(C, OutboxMessages.DELETE)).hasToString("[0..1]");
        assertThat(a.told(B, OutboxMessages.DELETE).isEmpty()).isTrue();
    }

    /** Only what it says to all lets their tombstones melt into a floor. */
    @Test
    void theOriginIsToldOfTheEndThoughItIsNoOwnerAnyMore() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A, C)).become(B, PeerState.TERMINATED);
        a.settle().claim(D, OutboxMessages.UPDATE, OF_B, custody(5, A, D), range(0, 1));
        a.confirm(B, OutboxMessages.RELEASED, OF_B, range(0, 1)).credit(1).settle();

        a.forwarded(OF_B, 0).settle();

        assertThat(a.table(OF_B).duties.untold.of(B).all()).hasToString("[0..1]");
    }

    @Test
    void theDutyToTellLastsUntilEveryOwnerConfirmed() {
        withForwarded();
        assertThat(a.table(a.own()).duties.untold.owners()).containsOnly(B, C);

        a.confirm(B, OutboxMessages.DELETED, a.own(), range(1, 2)).settle();
        assertThat(a.table(a.own()).duties.untold.owners()).containsOnly(C);

        StreamId stream = a.own();
        a.reboot(BootKind.PROMPT).reachable(C).settle();
        assertThat(a.told(C, OutboxMessages.DELETE)).hasToString("[1..2]");
        a.confirm(C, OutboxMessages.DELETED, stream, range(1, 2)).settle();
        assertThat(a.table(stream).duties.untold.owners()).isEmpty();
    }

    @Test
    void aLostDeleteIsSaidAgain() {
        withForwarded().turn.forget();

        a.advance(TICK.multipliedBy(3));

        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[1..2]");
    }

    @Test
    void anEntryForwardedBeforeItsPutIsAnsweredStaysPending() {
        a.put(1, 1).settle();

        a.forwarded(a.own(), 0).settle();

        assertThat(a.custodyOf(a.own(), 0)).isNotNull();
        assertThat(a.turn.sent(B, OutboxMessages.DELETE)).isEmpty();
    }

    @Test
    void aDeleteLeavesATombstoneAndIsConfirmed() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A)).settle();

        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 1)).settle();

        assertThat(a.node.inspect().isFinished(new EntryId(OF_B, 0))).isTrue();
        assertThat(a.custodyOf(OF_B, 0)).isNull();
        assertThat(a.told(B, OutboxMessages.DELETED)).hasToString("[0..1]");
    }

    /** Whoever waits for room for its next send has to know. */
    @Test
    void anEntryOfThisBootThatEndsElsewhereIsTold() {
        a.stored(3, B, C).credit(1).settle().turn.forget();

        a.about(B, OutboxMessages.DELETE, a.own(), range(0, 2)).settle();
        assertThat(a.turn.events(OutboxEvent.FinishedElsewhere.class))
                .as("the application has the first in its hands")
                .containsExactly(new OutboxEvent.FinishedElsewhere(OutboxFixture.QUEUE, a.own(), 1));

        a.turn.forget();
        a.about(B, OutboxMessages.DELETE, a.own(), range(0, 2)).settle();
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 1)).settle();
        assertThat(a.turn.events(OutboxEvent.FinishedElsewhere.class)).isEmpty();
    }

    @Test
    void aDeleteWaitsForWhatTheApplicationIsWorkingOn() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A, C))
                .settle()
                .become(B, PeerState.TERMINATED)
                .credit(1)
                .settle();
        assertThat(a.delivered()).containsExactly(0L);

        a.about(C, OutboxMessages.DELETE, OF_B, range(0, 2)).settle();

        assertThat(a.custodyOf(OF_B, 0)).isNotNull();
        assertThat(a.told(C, OutboxMessages.DELETED)).hasToString("[1..2]");
    }

    @Test
    void anOwnerStillToBeReleasedIsToldTheEndInstead() {
        a.stored(1, B).become(B, PeerState.SCHRODINGER).settle();
        StreamTable table = a.table(a.own());
        a.node.inspect().ledger().note(table, Fact.Duty.REPLACED, D, range(0, 1));

        a.credit(1).settle().forwarded(a.own(), 0).settle();

        assertThat(table.duties.unreleased.owners()).isEmpty();
        assertThat(table.duties.untold.of(D).all()).hasToString("[0..1]");
        assertThat(a.told(D, OutboxMessages.DELETE)).hasToString("[0..1]");
    }

    @Test
    void onlyTheOriginIsBelievedThatEntriesAreSettled() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A, C)).settle();

        a.about(C, OutboxMessages.SETTLED, OF_B, range(0, 1)).settle();
        assertThat(a.custodyOf(OF_B, 0)).isNotNull();

        a.about(B, OutboxMessages.SETTLED, OF_B, range(0, 1)).settle();
        assertThat(a.custodyOf(OF_B, 0)).isNull();
        assertThat(a.node.inspect().isFinished(new EntryId(OF_B, 0))).isTrue();
    }

    @Test
    void theOriginSaysWhatIsSettledAndWhatStandsAboveTheFloor() {
        a.stored(5, B)
                .credit(5)
                .settle()
                .forwarded(a.own(), 0, 2, 4)
                .settle()
                .turn
                .forget();

        a.advance(TICK);

        assertThat(a.told(C, OutboxMessages.SETTLED)).hasToString("[0..1 2..3 4..5]");
        a.turn.forget();
        a.advance(TICK.multipliedBy(3));
        assertThat(a.told(C, OutboxMessages.SETTLED).isEmpty()).as("said once").isTrue();
    }

    /** What a link has no room for is dropped, and nothing else would say it again. */
    @Test
    void whoseLinkHadNoRoomHearsWhatIsSettledOnceItHas() {
        a.stored(2, B)
                .credit(2)
                .settle()
                .forwarded(a.own(), 0, 1)
                .confirm(B, OutboxMessages.DELETED, a.own(), range(0, 2))
                .settle();
        a.peers.peer(C).full = true;
        a.advance(TICK);
        assertThat(a.told(B, OutboxMessages.SETTLED)).hasToString("[0..2]");
        a.turn.forget();
        a.advance(TICK);
        assertThat(a.turn.sent(C, OutboxMessages.SETTLED)).isEmpty();

        a.peers.peer(C).full = false;
        a.advance(TICK.multipliedBy(3));

        assertThat(a.turn.sent(C, OutboxMessages.SETTLED)).hasSize(1);
        assertThat(a.told(C, OutboxMessages.SETTLED)).hasToString("[0..2]");
        assertThat(a.turn.sent(B, OutboxMessages.SETTLED)).as("said once").isEmpty();
    }

    /** Each time it has room it is told what it missed; were all told that, none would hear the end. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoseLinkHasRoomNowAndThenKeepsNobodyFromHearingAll(boolean returns) {
        OutboxFixture a = new OutboxFixture(ProtocolConfig.defaults());
        a.node.splitEarly(1, Long.MAX_VALUE);
        a.stored(21, B).credit(21).settle();
        a.forwarded(a.own(), 1, 3, 5, 7, 9, 11, 13, 15, 17, 19).settle().turn.forget();

        for (int tick = 0; tick < 20; tick++) {
            a.peers.peer(C).full = !returns && tick % 2 == 0;
            if (returns && tick % 8 == 1) {
                a.reachable(C).settle();
            }
            a.advance(TICK);
        }

        String all = "[1..2 3..4 5..6 7..8 9..10 11..12 13..14 15..16 17..18 19..20]";
        assertThat(a.told(B, OutboxMessages.SETTLED)).hasToString(all);
        assertThat(a.told(C, OutboxMessages.SETTLED)).hasToString(all);
        assertThat(a.turn.sent(B, OutboxMessages.SETTLED)).as("said once").hasSize(10);
    }

    /** Each message goes on behind the one before it, and the last one is behind it all the same. */
    @Test
    void whatIsSettledBehindWhatIsBeingSaidIsSaidTheNextTime() {
        a.node.splitEarly(2, Long.MAX_VALUE);
        a.stored(10, B).credit(10).settle();
        a.forwarded(a.own(), 3, 5, 7, 9).settle().advance(TICK);
        assertThat(a.told(C, OutboxMessages.SETTLED)).hasToString("[3..4 5..6]");

        a.forwarded(a.own(), 1).settle().advance(TICK.multipliedBy(6));

        assertThat(a.told(C, OutboxMessages.SETTLED)).hasToString("[1..2 3..4 5..6 7..8 9..10]");
        a.turn.forget();
        a.advance(TICK.multipliedBy(6));
        assertThat(a.turn.sent(C, OutboxMessages.SETTLED)).as("said once").isEmpty();
    }

    @Test
    void streamsThatAreOverArePutAwayAndAreOldAfterTheLifeOfTombstones() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 1)).settle();

        a.advance(SHORT_MEMORY.tombstoneLife().minus(TICK));
        assertThat(a.table(OF_B)).isNull();
        assertThat(a.node.inspect().ledger().recentOf(B)).hasSize(1);

        a.advance(TICK.multipliedBy(3));
        assertThat(a.node.inspect().ledger().recentOf(B)).isEmpty();
        assertThat(a.node.inspect().ledger().archive.size()).isEqualTo(1);
        a.turn.forget();
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        assertThat(a.acknowledged(B, OutboxMessages.STATUS_DELETED, 0)).hasToString("[0..1]");
    }

    /** What its archive has no room for, and what is not over, stays at hand for the life of tombstones. */
    @Test
    void aRaggedStreamIsPutAwayNoEarlierThanItsTombstonesMayEnd() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        RangeList odd = new RangeList();
        for (long next = 1; next <= 2 * Archive.RANGES_MAX + 1; next += 2) {
            odd.add(next, next + 1);
        }
        a.about(B, OutboxMessages.DELETE, OF_B, odd).settle();

        a.advance(SHORT_MEMORY.tombstoneLife().minus(TICK));
        assertThat(a.table(OF_B).finished.size()).isEqualTo(Archive.RANGES_MAX + 1);

        a.advance(TICK.multipliedBy(3));
        assertThat(a.table(OF_B)).isNull();
    }

    /** Who was away missed SETTLED, whatever boot of this node said it; those of long ago are said no more. */
    @Test
    void whoReturnsHearsOfStreamsPutAwayUntilTheyAreOld() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        a.stored(1, B).credit(1).settle().forwarded(a.own(), 0).settle();
        StreamId stream = a.own();
        a.confirm(B, OutboxMessages.DELETED, stream, range(0, 1)).settle().advance(TICK.multipliedBy(3));
        assertThat(a.table(stream)).isNull();

        a.reboot(BootKind.PROMPT).turn.forget();
        a.reachable(C).settle();
        assertThat(a.told(C, OutboxMessages.SETTLED)).hasToString("[0..1]");

        for (int boot = 0; boot < 8; boot++) {
            a.advance(SHORT_MEMORY.tombstoneLife().dividedBy(7)).reboot(BootKind.PROMPT);
        }
        a.turn.forget();
        a.reachable(C).settle();
        assertThat(a.turn.sent(C, OutboxMessages.SETTLED)).isEmpty();
        assertThat(a.node.inspect().isFinished(new EntryId(stream, 0))).isTrue();
    }

    @Test
    void theStreamOfThisBootIsNeverForgotten() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        a.stored(1, B).credit(1).settle().forwarded(a.own(), 0).settle();
        StreamId stream = a.own();
        a.confirm(B, OutboxMessages.DELETED, stream, range(0, 1)).settle();

        a.advance(SHORT_MEMORY.tombstoneLife().plus(TICK));
        a.turn.forget();
        a.stored(1, B);

        assertThat(a.own()).isEqualTo(stream);
        assertThat(a.turn.events(OutboxEvent.Stored.class))
                .extracting(OutboxEvent.Stored::first)
                .isEqualTo(List.of(1L));
        assertThat(a.custodyOf(stream, 1)).isNotNull();
    }

    /** Its next number would be lost: no tombstone tells of an entry that went to other owners. */
    @Test
    void aStreamOfThisBootThatIsNotAllOverIsNotPutAway() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        a.stored(1, B);
        StreamId stream = a.own();
        a.claim(B, OutboxMessages.RELEASE, stream, custody(5, B, C), range(0, 1))
                .settle();
        assertThat(a.custodyOf(stream, 0).state()).isEqualTo(EntryState.REMOVED);

        a.advance(SHORT_MEMORY.tombstoneLife().multipliedBy(3));
        a.stored(1, B);

        assertThat(a.custodyOf(stream, 1)).isNotNull();
    }

    /** An id that is used twice is an entry that is lost: it is taken for over. */
    @Test
    void theStreamsOfThisBootAreKeptHoweverManyOthersThereAre() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        a.node.inspect().ledger().archive.streamsMax = 3;
        a.stored(1, B).credit(1).settle().forwarded(a.own(), 0).settle();
        StreamId stream = a.own();
        a.confirm(B, OutboxMessages.DELETED, stream, range(0, 1)).settle();
        for (int lane = 0; lane < 10; lane++) {
            a.about(B, OutboxMessages.DELETE, new StreamId(B, Bound.BOOT.max(), lane), range(0, 1))
                    .settle();
        }

        a.advance(SHORT_MEMORY.tombstoneLife().multipliedBy(3));
        a.stored(1, B);

        assertThat(a.custodyOf(stream, 1)).isNotNull();
    }

    /** Rule 6.9.4: a process that stood still for longer than tombstones live does not count that time for new ones. */
    @Test
    void aTombstoneOfTheFirstTurnAfterALongPauseIsKept() {
        OutboxFixture forgetful = new OutboxFixture(SHORT_MEMORY);
        forgetful.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        forgetful.turn.advance(Duration.ofHours(1));

        forgetful.about(B, OutboxMessages.DELETE, OF_B, range(0, 1));
        forgetful.node.onTimer(forgetful.turn);
        forgetful.settle();

        assertThat(forgetful.table(OF_B).finished.contains(0)).isTrue();
    }

    /** It was replaced, then this node was, and both are gone: nobody is left who could confirm. */
    @Test
    void aReleaseThatNobodyConfirmsIsGivenUpWithTheTombstones() {
        OutboxFixture a = new OutboxFixture(SHORT_MEMORY);
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.claim(C, OutboxMessages.RELEASE, OF_B, custody(2, C, D), range(0, 1)).settle();
        assertThat(a.table(OF_B).duties.unreleased.owners()).containsExactly(B);
        a.become(B, PeerState.TERMINATED).settle();

        a.advance(SHORT_MEMORY.tombstoneLife().multipliedBy(3));

        assertThat(a.table(OF_B)).isNull();
        assertThat(a.node.needs(B)).isFalse();
    }
}
