package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is the holder (6.6), message by message: node a has copies of entries of b, or adopted them. */
class ClaimsTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxFixture withCopy() {
        return a.copy(B, OF_B, 0, 4, custody(0, B, A, C)).settle();
    }

    private OutboxFixture withAdopted() {
        withCopy().become(B, PeerState.TERMINATED).settle();
        return a;
    }

    @Test
    void anAdoptionIsForcedToDiskBeforeAnybodyHearsOfIt() {
        withCopy().turn.forget();

        a.become(B, PeerState.TERMINATED).step();

        assertThat(a.forced).isTrue();
        assertThat(a.turn.sent).isEmpty();
        assertThat(a.turn.events(OutboxEvent.Adopted.class)).isEmpty();
        a.complete();
        assertThat(a.claims(C, OutboxMessages.UPDATE)).singleElement().satisfies(claim -> {
            assertThat(claim.epoch()).isEqualTo(1);
            assertThat(claim.order()).containsExactly(A, C, B);
        });
    }

    @Test
    void adoptedEntriesAreHandedOutOnlyWhenTheAdoptionIsDurable() {
        withCopy().credit(10).settle();

        a.become(B, PeerState.TERMINATED).step();
        assertThat(a.table(OF_B).ready.isEmpty()).as("in line").isTrue();

        a.complete();
        assertThat(a.delivered()).containsExactly(0L, 1L, 2L, 3L);
        assertThat(a.deliveries()).allMatch(entry -> entry.cause() == RepetitionCause.ADOPTED);
    }

    @Test
    void anAdoptionSurvivesARestart() {
        withAdopted().reboot(BootKind.PROMPT);

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
        assertThat(a.custodyOf(OF_B, 0).epoch()).isEqualTo(1);
        assertThat(a.custodyOf(OF_B, 0).adoptedFrom()).isEqualTo(B);
    }

    @Test
    void nobodyAdoptsWhileAnOwnerBeforeItMayReturn() {
        a.copy(C, new io.georep.model.StreamId(C, 3, 0), 0, 1, custody(0, C, B, A))
                .settle();

        a.become(B, PeerState.ARNOLD).become(C, PeerState.TERMINATED).settle();
        assertThat(a.node.inspect().held()).isNotEmpty().noneMatch(held -> held.state() == EntryState.HELD);

        a.become(B, PeerState.TERMINATED).settle();
        assertThat(a.node.inspect().held()).isNotEmpty().allMatch(held -> held.state() == EntryState.HELD);
    }

    /** It was removed, and nobody will be given up any more. */
    @Test
    void whoTakesANewIncarnationAdoptsWhatItsRemovalForbade() {
        withCopy().peers.selfRemoved = true;
        a.become(B, PeerState.TERMINATED).settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.COPY);

        a.peers.selfRemoved = false;
        a.node.onStaleStore(true, a.turn);
        a.settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
    }

    @Test
    void aClaimOfLowerRankIsAnsweredWithTheBetterOne() {
        withAdopted().turn.forget();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C), range(0, 4))
                .settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
        assertThat(a.told(C, OutboxMessages.UPDATED).isEmpty()).isTrue();
        assertThat(a.claims(C, OutboxMessages.UPDATE))
                .extracting(Custody::epoch)
                .containsExactly(1L);
    }

    @Test
    void ofTwoClaimsOfOneEpochTheLaterOwnersWins() {
        withAdopted();
        Custody byC = custody(0, B, A, C).adoptedBy(C);

        a.claim(C, OutboxMessages.UPDATE, OF_B, byC, range(0, 4)).settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.COPY);
        assertThat(a.custodyOf(OF_B, 0).first()).isEqualTo(C);
        assertThat(a.turn.events(OutboxEvent.Ceded.class)).hasSize(1);
    }

    @Test
    void aClaimIsForcedToDiskBeforeItIsConfirmed() {
        withCopy().turn.forget();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 4))
                .step();

        assertThat(a.forced).isTrue();
        assertThat(a.turn.sent).isEmpty();
        a.complete();
        assertThat(a.told(C, OutboxMessages.UPDATED).total()).isEqualTo(4);
    }

    @Test
    void whatTheApplicationIsWorkingOnIsNotCeded() {
        withAdopted().credit(2).settle();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 4))
                .settle();

        assertThat(a.table(OF_B).inState(EntryState.HELD, range(0, 4)).all()).hasToString("[0..2]");
        assertThat(a.told(C, OutboxMessages.UPDATED)).hasToString("[2..4]");
    }

    @Test
    void cededEntriesAreNotHandedOutAnyMore() {
        withAdopted();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 4))
                .credit(10)
                .settle();

        assertThat(a.delivered()).isEmpty();
        assertThat(a.table(OF_B).ready.isEmpty()).isTrue();
    }

    @Test
    void aConfirmationOfAnOlderClaimConfirmsNothing() {
        withAdopted();
        assertThat(a.table(OF_B).duties.unconfirmed.of(C).size()).isEqualTo(4);

        a.message(C, OutboxMessages.UPDATED, OutboxMessages.updated(OF_B, 0, range(0, 4)))
                .settle();
        assertThat(a.table(OF_B).duties.unconfirmed.of(C).size()).isEqualTo(4);

        a.message(C, OutboxMessages.UPDATED, OutboxMessages.updated(OF_B, 1, range(0, 4)))
                .settle();
        assertThat(a.table(OF_B).duties.unconfirmed.owners()).doesNotContain(C);
    }

    @Test
    void aReleaseByALowerClaimIsAnsweredWithTheBetterOne() {
        withAdopted().turn.forget();

        a.claim(C, OutboxMessages.RELEASE, OF_B, custody(0, B, C, D), range(0, 4))
                .settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
        assertThat(a.told(C, OutboxMessages.RELEASED).isEmpty()).isTrue();
        assertThat(a.claims(C, OutboxMessages.UPDATE))
                .containsExactly(custody(1, B, A, C).withOrder(List.of(A, C, B)));
        assertThat(a.told(C, OutboxMessages.UPDATE)).hasToString("[0..4]");
    }

    /** The holder may have lost the entries since, or never have held them. */
    @Test
    void whoLearnsAClaimFromAThirdNodeAsksTheHolder() {
        withCopy().turn.forget();

        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 4))
                .settle();

        assertThat(a.told(C, OutboxMessages.QUERY)).hasToString("[0..4]");
    }

    /** Whoever released it may be gone, and nobody else know of both. */
    @Test
    void whoWasReleasedPassesTheBetterClaimOn() {
        withCopy()
                .claim(C, OutboxMessages.RELEASE, OF_B, custody(4, C, D), range(0, 4))
                .settle()
                .turn
                .forget();

        a.claim(B, OutboxMessages.RELEASE, OF_B, custody(2, B, D), range(0, 2))
                .claim(D, OutboxMessages.UPDATE, OF_B, custody(2, B, D), range(2, 4))
                .settle();

        assertThat(a.told(B, OutboxMessages.RELEASED)).hasToString("[0..2]");
        assertThat(a.answered(B, OutboxMessages.ANSWER_RELEASED)).hasToString("[0..2]");
        assertThat(a.answered(D, OutboxMessages.ANSWER_RELEASED)).hasToString("[2..4]");
    }

    @Test
    void anOutdatedReleaseOfAnOwnerDropsNothing() {
        withCopy()
                .claim(B, OutboxMessages.RELEASE, OF_B, custody(1, B, A, D), range(0, 4))
                .settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.COPY);
        assertThat(a.told(B, OutboxMessages.RELEASED)).hasToString("[0..4]");
    }

    @Test
    void whatTheApplicationIsWorkingOnIsNotReleased() {
        withAdopted().credit(2).settle().turn.forget();

        a.claim(C, OutboxMessages.RELEASE, OF_B, custody(5, C, B, D), range(0, 4))
                .settle();

        assertThat(a.table(OF_B).inState(EntryState.HELD, range(0, 4)).all()).hasToString("[0..2]");
        assertThat(a.told(C, OutboxMessages.RELEASED)).hasToString("[2..4]");
    }

    /** Node c may never hear of node b: who knows both, tells b. */
    @Test
    void whoPassesFromOneHolderToAnotherReleasesTheFirst() {
        withCopy()
                .claim(C, OutboxMessages.UPDATE, OF_B, custody(3, C, A, D), range(0, 1))
                .claim(C, OutboxMessages.RELEASE, OF_B, custody(4, C, D), range(1, 2))
                .claim(C, OutboxMessages.UPDATE, OF_B, custody(3, C, A, B), range(2, 3))
                .settle();

        assertThat(a.table(OF_B).duties.unreleased.of(B).all()).hasToString("[0..2]");
        assertThat(a.table(OF_B).duties.unreleased.owners()).containsExactly(B);
    }

    @Test
    void whoWasReleasedByOneHolderAndGetsACopyFromAnotherReleasesTheFirst() {
        withCopy()
                .claim(B, OutboxMessages.RELEASE, OF_B, custody(1, B, D), range(0, 4))
                .copy(C, OF_B, 0, 2, custody(2, C, A))
                .copy(C, OF_B, 2, 2, custody(2, B, C, A))
                .settle();

        assertThat(a.table(OF_B).duties.unreleased.of(B).all()).hasToString("[0..2]");
    }

    @Test
    void aNewerClaimThatNamesThisNodeAsHolderReleasesWhomItLeavesOut() {
        withAdopted();
        Custody replaced = new Custody(EntryState.COPY, 4, List.of(B, A, D), List.of(A, D, B), null);

        a.claim(D, OutboxMessages.UPDATE, OF_B, replaced, range(0, 4)).settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
        assertThat(a.custodyOf(OF_B, 0).epoch()).isEqualTo(4);
        assertThat(a.table(OF_B).duties.unreleased.of(C).size()).isEqualTo(4);
    }

    /** It has no claim to show any more: it asked two others at once, and the first said that the entries are over. */
    @Test
    void ofAClaimThatDoesNotNameItANodeSaysNotThatTheEntriesAreOver() {
        withCopy()
                .about(C, OutboxMessages.DELETE, OF_B, range(0, 3))
                .settle()
                .turn
                .forget();

        a.answer(D, OF_B, OutboxMessages.ANSWER_COPY, custody(1, B, C, D), range(0, 2))
                .answer(D, OF_B, OutboxMessages.ANSWER_COPY, custody(1, B, A, D), range(2, 3))
                .settle();

        assertThat(a.told(D, OutboxMessages.DELETE)).hasToString("[2..3]");
        assertThat(a.table(OF_B).duties.untold.of(D).all()).hasToString("[2..3]");
    }

    /** Its origin is believed whatever it was replaced by. */
    @Test
    void ofAClaimThatDoesNotNameItAnOriginSaysThatTheEntriesAreOver() {
        a.stored(1, B).credit(1).settle().forwarded(a.own(), 0).settle().turn.forget();

        a.claim(D, OutboxMessages.UPDATE, a.own(), custody(2, D, C), range(0, 1))
                .settle();

        assertThat(a.told(D, OutboxMessages.DELETE)).hasToString("[0..1]");
    }

    /** The crash came before all heard of it: an owner that does not would adopt beside the new one. */
    @Test
    void aNewerClaimThatNamesThisNodeAsHolderIsToldToTheOwnersThatStayed() {
        a.stored(2, B, C).turn.forget();
        Custody replaced = custody(1, A, D, C);

        a.claim(D, OutboxMessages.UPDATE, a.own(), replaced, range(0, 2)).settle();

        assertThat(a.claims(C, OutboxMessages.UPDATE))
                .singleElement()
                .satisfies(claim -> assertThat(claim.sameClaim(replaced)).isTrue());
        assertThat(a.table(a.own()).duties.unconfirmed.owners()).containsExactly(C);
        assertThat(a.told(D, OutboxMessages.UPDATED)).hasToString("[0..2]");
    }

    /** It may have lost its store since it confirmed the better one. */
    @Test
    void whoMadeALowerClaimIsToldTheBetterOneUntilItConfirms() {
        withAdopted();
        a.message(C, OutboxMessages.UPDATED, OutboxMessages.updated(OF_B, 1, range(0, 4)))
                .settle();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C), range(1, 3))
                .settle();

        assertThat(a.table(OF_B).duties.unconfirmed.of(C).all()).hasToString("[1..3]");
    }

    /** Whoever holds the entries makes its claim known itself. */
    @Test
    void nobodyHasToConfirmAClaimThatLost() {
        withAdopted();
        assertThat(a.table(OF_B).duties.unconfirmed.owners()).containsExactly(B, C);

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 4))
                .settle();

        assertThat(a.table(OF_B).duties.unconfirmed.owners()).isEmpty();
    }

    @Test
    void nobodyHasToConfirmThatEntriesWereHandedOverOnceAnotherHoldsThem() {
        a.stored(2, B).peers.drained = true;
        a.reachable(B)
                .answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 2))
                .advance(Duration.ofMillis(1100));
        assertThat(a.custodyOf(a.own(), 0).first()).isEqualTo(B);
        assertThat(a.table(a.own()).duties.unconfirmed.of(B).size()).isEqualTo(2);

        a.claim(B, OutboxMessages.UPDATE, a.own(), custody(2, A, B).withOrder(List.of(B, A)), range(0, 2))
                .settle();

        assertThat(a.table(a.own()).duties.unconfirmed.owners()).isEmpty();
    }

    /** The new holder may not have heard of the commit, and would ask its application. */
    @Test
    void whoCedesACommittedEntryTellsTheNewHolder() {
        OutboxCommand.Put put = new OutboxCommand.Put(OutboxFixture.QUEUE, 1, Slice.utf8("x"), "token", true);
        a.node.onCommand(new OutboxCommand.PutAll(List.of(put, put)), a.turn);
        a.settle().ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 2)).settle();
        a.node.onCommand(new OutboxCommand.Decide(List.of(new EntryId(a.own(), 0)), true), a.turn);
        a.settle().turn.forget();

        a.claim(B, OutboxMessages.UPDATE, a.own(), custody(1, A, B).withOrder(List.of(B, A)), range(0, 2))
                .settle();

        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    @Test
    void whomANewerClaimMakesAnOwnerAgainIsNotReleasedAnyMore() {
        withAdopted().claim(D, OutboxMessages.UPDATE, OF_B, custody(4, A, B, D), range(0, 4));
        assertThat(a.table(OF_B).duties.unreleased.owners()).containsExactly(C);

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(5, A, B, C), range(0, 4))
                .settle();

        assertThat(a.table(OF_B).duties.unreleased.owners()).containsExactly(D);
    }

    /** Both sides of a partition replaced owners: it was one by the list of the other side (6.19.1). */
    @Test
    void whoseClaimLostIsBelievedThatEntriesAreOver() {
        withAdopted()
                .claim(D, OutboxMessages.UPDATE, OF_B, custody(0, D, C), range(0, 2))
                .settle();

        a.about(D, OutboxMessages.DELETE, OF_B, range(0, 4)).settle();

        assertThat(a.told(D, OutboxMessages.DELETED)).hasToString("[0..2]");
        assertThat(a.custodyOf(OF_B, 1)).isNull();
    }
}
