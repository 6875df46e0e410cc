package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.protocol.BootKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Copies that other owners should have and may have lost (6.8.5, 6.8.6, 6.6.13), message by message. */
class RestorationTest {
    private static final Duration TICK = Duration.ofMillis(1100);

    private final OutboxFixture a = OutboxFixture.hardened();

    private long shortOfCopies() {
        return a.node.inspect().shortOfCopies();
    }

    private OutboxFixture withNewBootOf(NodeId owner) {
        a.peers.peer(owner).incarnation++;
        a.turn.forget();
        return a.reachable(owner).settle();
    }

    @Test
    void everyOwnerIsAskedOnceInEachBootOfItsOwn() {
        a.stored(2, B, C).reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..2]");
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B, C), range(0, 2))
                .settle();

        a.turn.forget();
        a.reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.QUERY).isEmpty())
                .as("the same boot")
                .isTrue();

        withNewBootOf(B);
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..2]");
    }

    @Test
    void everyOwnerIsAskedInEachBootOfThisNode() {
        a.stored(2, B).reachable(B).settle();

        a.reboot(BootKind.PROMPT).turn.forget();
        a.reachable(B).settle();

        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..2]");
    }

    /** Of three entries the owner has one. */
    private OutboxFixture withLoss() {
        a.stored(3, B).reachable(B).settle();
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 1));
        return a.answer(B, a.own(), OutboxMessages.ANSWER_UNKNOWN, null, range(1, 3))
                .settle();
    }

    private RangeList copiedTo(NodeId owner) {
        return a.told(owner, OutboxMessages.REPLICATE);
    }

    @Test
    void whatAnOwnerLacksIsCopiedUntilItConfirms() {
        withLoss();
        assertThat(shortOfCopies()).isEqualTo(2);
        assertThat(a.turn.events(OutboxEvent.CopiesMissing.class))
                .containsExactly(new OutboxEvent.CopiesMissing(OutboxFixture.QUEUE, B, 2));
        a.turn.forget();

        a.advance(TICK);
        assertThat(copiedTo(B)).hasToString("[1..3]");
        a.turn.forget();
        a.advance(ProtocolConfig.defaults().putTimeout().plus(TICK));
        assertThat(copiedTo(B)).as("repeated").hasToString("[1..3]");
        assertThat(a.table(a.own()).duties.missing.of(B).all()).hasToString("[1..3]");
        assertThat(shortOfCopies()).isEqualTo(2);

        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(1, 3)).settle();
        assertThat(a.table(a.own()).duties.missing.owners()).isEmpty();
        assertThat(shortOfCopies()).isZero();
        assertThat(a.turn.events(OutboxEvent.CopiesRestored.class)).hasSize(1);
    }

    @Test
    void whoRefusesIsLeftAloneForAWhile() {
        withLoss();
        a.advance(TICK).turn.forget();

        a.ack(B, a.own(), OutboxMessages.STATUS_REFUSED, 0, range(1, 3)).settle();
        assertThat(copiedTo(B).isEmpty()).isTrue();

        a.advance(TICK.multipliedBy(2));
        assertThat(copiedTo(B)).hasToString("[1..3]");
    }

    /** Its limits may be lower, so that it closes the link at each such frame. */
    @Test
    void whoNeverAnswersIsLeftAloneForAWhileAndKeepsNobodyElseFromCopies() {
        a.stored(3, B, C).reachable(B).settle();
        a.answer(B, a.own(), OutboxMessages.ANSWER_UNKNOWN, null, range(1, 3)).settle();
        a.advance(TICK).reachable(C).settle();
        a.answer(C, a.own(), OutboxMessages.ANSWER_UNKNOWN, null, range(0, 1)).settle();
        a.turn.forget();
        for (int second = 0; second < 60; second++) {
            a.reachable(B).settle();
            a.advance(TICK);
        }
        assertThat(copiedTo(C)).hasToString("[0..1]");
        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1)).settle();
        a.turn.forget();

        a.advance(ProtocolConfig.defaults().putTimeout().multipliedBy(15));
        a.advance(TICK.multipliedBy(32));
        assertThat(copiedTo(B)).as("tried again").hasToString("[1..3]");
    }

    @Test
    void aTombstoneAtTheOwnerEndsTheEntryHere() {
        withLoss();
        a.advance(TICK)
                .ack(B, a.own(), OutboxMessages.STATUS_DELETED, 0, range(1, 3))
                .settle();

        assertThat(a.custodyOf(a.own(), 1)).isNull();
        assertThat(a.custodyOf(a.own(), 0)).isNotNull();
    }

    /** Offered again and again, it would be refused again and again for as long as the application takes. */
    @Test
    void whatIsOverElsewhereIsNotOfferedWhileTheApplicationStillHasIt() {
        withLoss().credit(3).advance(TICK).turn.forget();

        a.ack(B, a.own(), OutboxMessages.STATUS_DELETED, 0, range(1, 3)).settle();
        a.advance(TICK);

        assertThat(copiedTo(B).isEmpty()).isTrue();
        assertThat(a.custodyOf(a.own(), 1)).as("the application has it").isNotNull();
        assertThat(shortOfCopies()).isZero();
    }

    @Test
    void whatIsOverIsMissedByNobody() {
        withLoss();

        a.credit(3).settle().forwarded(a.own(), 1, 2).settle();

        assertThat(a.table(a.own()).duties.missing.owners()).isEmpty();
        assertThat(shortOfCopies()).isZero();
    }

    @Test
    void whatIsCededIsMissedByNobody() {
        withLoss();

        a.claim(B, OutboxMessages.UPDATE, a.own(), custody(0, A, B).adoptedBy(B), range(0, 3))
                .settle();

        assertThat(a.told(B, OutboxMessages.UPDATED).total()).isEqualTo(3);
        assertThat(a.table(a.own()).duties.missing.owners()).isEmpty();
        assertThat(shortOfCopies()).isZero();
    }

    @Test
    void anOwnerThatWasReleasedHasNoCopy() {
        a.stored(1, B).reachable(B).settle();

        a.answer(B, a.own(), OutboxMessages.ANSWER_RELEASED, custody(0, A, C), range(0, 1))
                .settle();

        assertThat(a.table(a.own()).duties.missing.of(B).all()).hasToString("[0..1]");
    }

    @Test
    void entriesAreShortOfCopiesUntilTheirOwnersHaveAnswered() {
        a.stored(2, B).reachable(B).settle();
        assertThat(shortOfCopies()).isEqualTo(2);

        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 2))
                .settle();
        assertThat(shortOfCopies()).isZero();

        a.peers.peer(B).incarnation++;
        assertThat(shortOfCopies()).as("it started again").isEqualTo(2);
    }

    @Test
    void aClaimIsConfirmedOnlyForEntriesThatAreHere() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A)).settle();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(1, C, A), range(0, 3)).settle();

        assertThat(a.told(C, OutboxMessages.UPDATED)).hasToString("[0..2]");
        assertThat(a.answered(C, OutboxMessages.ANSWER_UNKNOWN)).hasToString("[2..3]");
    }

    /** Rule 6.6.9: what is over needs no copy again, and whoever claims it is to hear of the end until it says so. */
    @Test
    void whoeverClaimsWhatIsOverIsToldTheEnd() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 1)).settle().turn.forget();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(1, C, A), range(0, 1)).settle();

        assertThat(a.told(C, OutboxMessages.UPDATED)).hasToString("[0..1]");
        assertThat(a.table(OF_B).duties.untold.of(C).all()).hasToString("[0..1]");
    }

    @Test
    void aClaimThatDoesNotNameThisNodeIsConfirmedWithoutTheEntries() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(1, C, D), range(1, 3)).settle();

        assertThat(a.told(C, OutboxMessages.UPDATED)).hasToString("[1..3]");
        assertThat(a.turn.sent(C, OutboxMessages.ANSWER)).isEmpty();
    }

    /** Rule 6.19.2: a peer that may not decide over others names only so many that nobody met. */
    @Test
    void aClaimThatNamesTooManyStrangersChangesNothing() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.turn.ensure = id -> id.equals(D) ? null : a.peers.peer(id);

        a.claim(B, OutboxMessages.UPDATE, OF_B, custody(5, B, A, D), range(0, 1))
                .settle();

        assertThat(a.custodyOf(OF_B, 0)).isEqualTo(custody(0, B, A));
        assertThat(a.told(B, OutboxMessages.UPDATED).isEmpty()).isTrue();
    }

    /** The copy that it is made again brings the claim. */
    @Test
    void whoLacksAnEntryIsToldTheClaimOnItNoLonger() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A, C)).settle();
        a.become(B, PeerState.TERMINATED).settle();
        assertThat(a.table(OF_B).duties.unconfirmed.of(C).all()).hasToString("[0..2]");

        a.answer(C, OF_B, OutboxMessages.ANSWER_UNKNOWN, null, range(0, 1)).settle();

        assertThat(a.table(OF_B).duties.unconfirmed.of(C).all()).hasToString("[1..2]");
    }

    @Test
    void whoWasReleasedSaysUnderWhichClaim() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.claim(B, OutboxMessages.RELEASE, OF_B, custody(1, B, C), range(0, 1)).settle();

        a.about(C, OutboxMessages.QUERY, OF_B, range(0, 1)).settle();

        assertThat(a.answered(C, OutboxMessages.ANSWER_RELEASED)).hasToString("[0..1]");
        assertThat(a.answered(C, OutboxMessages.ANSWER_UNKNOWN).isEmpty()).isTrue();
    }

    @Test
    void whoHearsOfABetterListItIsNotOnDropsItsCopy() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A)).settle();

        a.answer(B, OF_B, OutboxMessages.ANSWER_RELEASED, custody(2, C, B), range(0, 1))
                .settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.REMOVED);
        assertThat(a.custodyOf(OF_B, 1).state()).isEqualTo(EntryState.COPY);
    }

    /** Or the two would tell each other for ever. */
    @Test
    void aReleaseUnderALowerClaimIsNotAnsweredWithTheBetterOne() {
        a.copy(B, OF_B, 0, 1, custody(3, B, A, C)).settle().turn.forget();

        a.answer(C, OF_B, OutboxMessages.ANSWER_RELEASED, custody(1, B, A), range(0, 1))
                .settle();

        assertThat(a.told(C, OutboxMessages.UPDATE).isEmpty()).isTrue();
        assertThat(a.custodyOf(OF_B, 0).epoch()).isEqualTo(3);
    }

    @Test
    void nobodysUnknownEndsAnEntryHoweverLateTheReturn() {
        a.stored(1, B).credit(1).settle();

        a.reboot(BootKind.LATE).credit(1).reachable(B).settle();
        a.answer(
                        B,
                        a.node.inspect().ledger().tables().iterator().next().id,
                        OutboxMessages.ANSWER_UNKNOWN,
                        null,
                        range(0, 1))
                .settle();

        assertThat(a.deliveries()).hasSize(1);
        assertThat(a.deliveries().get(0).possiblySent()).isTrue();
    }
}
