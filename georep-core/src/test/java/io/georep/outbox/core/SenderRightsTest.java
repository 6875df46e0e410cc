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
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is believed when it says that copies kept here are not needed any more (rule 6.19). */
class SenderRightsTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxFixture copies() {
        return a.copy(B, OF_B, 0, 3, custody(0, B, A, C)).settle();
    }

    private OutboxStatistics statistics() {
        a.turn.forget();
        a.node.onCommand(new OutboxCommand.ReadStatistics("token"), a.turn);
        return a.turn.events(OutboxEvent.Statistics.class).get(0).statistics();
    }

    private void isKept(NodeId from) {
        assertThat(a.custodyOf(OF_B, 0)).isNotNull();
        assertThat(a.custodyOf(OF_B, 2)).isNotNull();
        assertThat(a.told(from, OutboxMessages.DELETED).isEmpty()).isTrue();
        assertThat(a.told(from, OutboxMessages.RELEASED).isEmpty()).isTrue();
        assertThat(statistics().endsRefused()).isEqualTo(3);
    }

    @Test
    void aDeleteOfAStrangerIsNotBelieved() {
        copies().about(D, OutboxMessages.DELETE, OF_B, range(0, 3)).settle();

        assertThat(a.turn.events(OutboxEvent.EndRefused.class))
                .containsExactly(new OutboxEvent.EndRefused(OutboxFixture.QUEUE, D, 3));
        isKept(D);
    }

    @Test
    void aReleaseByAStrangerIsNotBelieved() {
        copies().claim(D, OutboxMessages.RELEASE, OF_B, custody(5, B, C), range(0, 3))
                .settle();

        isKept(D);
    }

    @Test
    void whoReleasesByAClaimOfItsOwnIsBelieved() {
        copies().claim(D, OutboxMessages.RELEASE, OF_B, custody(5, B, C, D), range(0, 3))
                .settle();

        assertThat(a.told(D, OutboxMessages.RELEASED)).hasToString("[0..3]");
        assertThat(statistics().endsRefused()).isZero();
    }

    @Test
    void whoMayNotDecideOverOthersReleasesNobodyByAClaimOfItsOwn() {
        a.peers.peer(D).limited = true;
        copies().claim(D, OutboxMessages.RELEASE, OF_B, custody(5, B, C, D), range(0, 3))
                .settle();

        isKept(D);
    }

    @Test
    void anAnswerOfAStrangerThatEntriesAreOverIsNotBelieved() {
        copies().answer(D, OF_B, OutboxMessages.ANSWER_FINISHED, null, range(0, 3))
                .settle();

        isKept(D);
    }

    /** A claim with other owners ends the copy as well as a release, and what is held with it. */
    @Test
    void aStrangerThatMayNotDecideOverOthersTakesNoCopyAway() {
        a.peers.peer(D).limited = true;
        copies().claim(D, OutboxMessages.UPDATE, OF_B, custody(5, D, C), range(0, 3))
                .settle();

        isKept(D);
        assertThat(a.told(D, OutboxMessages.UPDATED).isEmpty()).isTrue();
    }

    @Test
    void aStrangerThatMayNotDecideOverOthersTakesNothingThatIsHeld() {
        a.peers.peer(D).limited = true;
        a.stored(2, B);

        a.claim(D, OutboxMessages.UPDATE, a.own(), custody(5, D, C), range(0, 2))
                .settle();

        assertThat(a.custodyOf(a.own(), 1).state()).isEqualTo(EntryState.HELD);
        assertThat(statistics().endsRefused()).isEqualTo(2);
    }

    /** It would be an owner from then on, and what owners say counts. */
    @Test
    void aStrangerThatMayNotDecideOverOthersMakesItselfNoOwner() {
        a.peers.peer(D).limited = true;
        a.stored(2, B);

        a.claim(D, OutboxMessages.UPDATE, a.own(), custody(5, D, A), range(0, 2))
                .copy(D, a.own(), 0, 1, custody(6, D, A))
                .settle();

        assertThat(a.custodyOf(a.own(), 1).state()).isEqualTo(EntryState.HELD);
        assertThat(a.custodyOf(a.own(), 1).owners()).containsExactly(A, B);
        assertThat(statistics().endsRefused()).isEqualTo(3);
    }

    @Test
    void aStrangerThatMayNotDecideOverOthersMakesNoDeadLetters() {
        a.peers.peer(D).limited = true;
        a.stored(1, B);

        a.message(
                        D,
                        OutboxMessages.ATTEMPTS,
                        AttemptNews.body(
                                new StreamTable(a.own(), OutboxFixture.QUEUE),
                                List.of(new AttemptNews.Item(
                                        0, new AttemptMark(7, true, 3), new AttemptNews.Letter(3, 1, "so it says")))))
                .settle();

        assertThat(statistics().endsRefused()).isEqualTo(1);
        assertThat(statistics().deadLetters().getOrDefault(OutboxFixture.QUEUE, 0L))
                .isZero();
    }

    /** If the true ones were taken for over when they come, their origin would acknowledge them, and nobody forward them. */
    @Test
    void aStrangerThatMayNotDecideOverOthersEndsNothingThatIsYetToCome() {
        a.peers.peer(D).limited = true;
        copies().about(D, OutboxMessages.DELETE, OF_B, range(3, 100))
                .answer(D, OF_B, OutboxMessages.ANSWER_FINISHED, null, range(3, 100))
                .claim(D, OutboxMessages.RELEASE, OF_B, custody(5, D, C), range(3, 100))
                .settle();
        assertThat(a.told(D, OutboxMessages.DELETED)).as("nothing to repeat").hasToString("[3..100]");

        a.copy(B, OF_B, 3, 2, custody(0, B, A, C)).settle();

        assertThat(a.custodyOf(OF_B, 3)).isNotNull();
        assertThat(a.custodyOf(OF_B, 4).state()).isEqualTo(EntryState.COPY);
    }

    /** If the true ones were taken for known when they come, this node would acknowledge what it does not have. */
    @Test
    void aStrangerThatMayNotDecideOverOthersBringsNoEntriesOfAnOriginInTouch() {
        a.peers.peer(D).limited = true;
        copies().copy(D, OF_B, 3, 2, custody(0, D, A)).settle();
        assertThat(a.custodyOf(OF_B, 3)).isNull();

        a.become(B, PeerState.TERMINATED);
        a.copy(D, OF_B, 3, 2, custody(0, D, A)).settle();

        assertThat(a.custodyOf(OF_B, 3)).as("it may have them from the origin").isNotNull();
    }

    @Test
    void whatIsHeldIsNotEndedByAStrangerEither() {
        a.stored(2, B);

        a.about(D, OutboxMessages.DELETE, a.own(), range(0, 2)).settle();

        assertThat(a.custodyOf(a.own(), 0)).isNotNull();
        assertThat(statistics().endsRefused()).isEqualTo(2);
    }

    @Test
    void ownersAndTheOriginAreBelieved() {
        copies().about(C, OutboxMessages.DELETE, OF_B, range(0, 1))
                .about(B, OutboxMessages.DELETE, OF_B, range(1, 2))
                .settle();

        assertThat(a.custodyOf(OF_B, 0)).isNull();
        assertThat(a.custodyOf(OF_B, 1)).isNull();
        assertThat(a.told(C, OutboxMessages.DELETED)).hasToString("[0..1]");
        assertThat(statistics().endsRefused()).isZero();
    }

    /** It may have adopted the entry before it heard that another node replaced it. */
    @Test
    void anOwnerThatWasReplacedIsBelievedUntilItIsReleased() {
        a.put(1, 1).settle();
        a.become(B, PeerState.SCHRODINGER).settle();
        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);

        a.about(B, OutboxMessages.DELETE, a.own(), range(0, 1)).settle();

        assertThat(a.custodyOf(a.own(), 0)).isNull();
        assertThat(statistics().endsRefused()).isZero();
    }

    @Test
    void anOwnerThatAClaimReplacedIsBelieved() {
        copies().claim(B, OutboxMessages.UPDATE, OF_B, custody(1, B, A, D), range(0, 3))
                .settle();

        a.about(C, OutboxMessages.DELETE, OF_B, range(0, 3)).settle();

        assertThat(a.custodyOf(OF_B, 0)).isNull();
        assertThat(statistics().endsRefused()).isZero();
    }

    /** It became an owner while this node was out of reach, and nobody is left who could say so. */
    @Test
    void whoToldTheClaimByWhichItHeldEntriesIsBelieved() {
        copies().claim(D, OutboxMessages.CLAIM, OF_B, custody(2, D, C), range(0, 2))
                .about(D, OutboxMessages.DELETE, OF_B, range(0, 3))
                .settle();

        assertThat(a.told(D, OutboxMessages.DELETED)).hasToString("[0..2]");
        assertThat(a.custodyOf(OF_B, 2)).isNotNull();
        assertThat(statistics().endsRefused()).isEqualTo(1);
    }

    @Test
    void aClaimOfAStrangerThatMayNotDecideOverOthersGivesNoStanding() {
        a.peers.peer(D).limited = true;
        copies().claim(D, OutboxMessages.CLAIM, OF_B, custody(2, D, C), range(0, 3))
                .about(D, OutboxMessages.DELETE, OF_B, range(0, 3))
                .settle();

        isKept(D);
    }

    @Test
    void aClaimOfOthersGivesNoStanding() {
        copies().claim(D, OutboxMessages.CLAIM, OF_B, custody(2, B, C), range(0, 3))
                .about(D, OutboxMessages.DELETE, OF_B, range(0, 3))
                .settle();

        isKept(D);
    }

    /** Also after a restart, and until everybody has confirmed. */
    @Test
    void whoEndsAnEntryOfAnotherTellsItsClaimFirst() {
        a.tuning = node -> node.splitEarly(OutboxBounds.RANGES_MAX, 0);
        copies().become(B, PeerState.TERMINATED).settle().credit(3).settle();
        a.turn.forget();
        a.forwarded(OF_B, 0, 1).settle();
        isToldAfterItsClaim(C);
        a.confirm(C, OutboxMessages.DELETED, OF_B, range(0, 2)).settle().reboot(BootKind.PROMPT);
        a.turn.forget();

        a.reachable(B).settle();
        isToldAfterItsClaim(B);

        a.confirm(B, OutboxMessages.DELETED, OF_B, range(0, 2)).settle();
        assertThat(a.table(OF_B).duties.finishedClaims.of(range(0, 3))).isEmpty();
    }

    /** It replaced an owner that was out of reach, and has but a copy itself when it learns that the entries are over. */
    @Test
    void whoHasOnlyACopyTellsThoseItReplacedByWhichClaimItKnows() {
        copies().become(B, PeerState.TERMINATED).settle();
        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(5, A, D), range(0, 3)).settle();
        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(6, D, A), range(0, 3)).settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.COPY);
        a.about(D, OutboxMessages.DELETE, OF_B, range(0, 3)).settle();
        a.turn.forget();

        a.reachable(C).settle();

        assertThat(a.told(C, OutboxMessages.DELETE)).hasToString("[0..3]");
        assertThat(a.told(C, OutboxMessages.CLAIM)).hasToString("[0..3]");
        assertThat(a.claims(C, OutboxMessages.CLAIM))
                .allMatch(claim -> claim.owners().contains(A));
    }

    /** What it says now does not name it, so what it was an owner by is told first; also when the entries are over then. */
    @Test
    void whoWasReleasedItselfTellsThoseItReplacedByWhichClaimItWasAnOwner() {
        a.tuning = node -> node.splitEarly(OutboxBounds.RANGES_MAX, 0);
        copies().become(B, PeerState.TERMINATED).settle();
        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(5, A, D), range(0, 3)).settle();
        a.claim(D, OutboxMessages.RELEASE, OF_B, custody(6, D, B), range(0, 3)).settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.REMOVED);
        a.reboot(BootKind.PROMPT).confirm(B, OutboxMessages.RELEASED, OF_B, range(0, 3));
        a.turn.forget();

        a.reachable(C).settle();

        assertThat(a.claims(C, OutboxMessages.RELEASE)).containsExactly(custody(6, D, B));
        isToldBefore(C, OutboxMessages.RELEASE);
        a.turn.forget();
        a.about(D, OutboxMessages.DELETE, OF_B, range(0, 2)).settle();
        a.reachable(C).settle();
        isToldBefore(C, OutboxMessages.DELETE);

        a.confirm(C, OutboxMessages.DELETED, OF_B, range(0, 2))
                .confirm(C, OutboxMessages.RELEASED, OF_B, range(2, 3))
                .settle();
        assertThat(a.table(OF_B).duties.finishedClaims.of(range(0, 3))).isEmpty();
    }

    private void isToldBefore(NodeId to, int type) {
        assertThat(a.claims(to, OutboxMessages.CLAIM))
                .isNotEmpty()
                .allMatch(claim -> claim.owners().contains(A));
        List<Integer> types = a.turn.sent.stream()
                .filter(sent -> sent.to().equals(to))
                .map(TestTurn.Sent::type)
                .toList();
        assertThat(types.indexOf(OutboxMessages.CLAIM)).isBetween(0, types.indexOf(type));
    }

    /** The message has it. */
    @Test
    void noClaimIsSentAheadOfAReleaseThatNamesItsSender() {
        copies().become(B, PeerState.TERMINATED).settle();
        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(5, A, D), range(0, 3)).settle();
        a.turn.forget();

        a.reachable(C).settle();

        assertThat(a.told(C, OutboxMessages.RELEASE)).hasToString("[0..3]");
        assertThat(a.claims(C, OutboxMessages.CLAIM)).isEmpty();
    }

    private void isToldAfterItsClaim(NodeId to) {
        assertThat(a.claims(to, OutboxMessages.CLAIM))
                .containsExactly(custody(1, B, A, C).withOrder(List.of(A, C, B)));
        assertThat(a.told(to, OutboxMessages.CLAIM)).hasToString("[0..2]");
        assertThat(a.told(to, OutboxMessages.DELETE)).hasToString("[0..2]");
        isToldBefore(to, OutboxMessages.DELETE);
    }

    @Test
    void whoEndsItsOwnEntryNeedsNoClaim() {
        a.stored(1, B).credit(1).settle().turn.forget();

        a.forwarded(a.own(), 0).settle();

        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[0..1]");
        assertThat(a.told(B, OutboxMessages.CLAIM).isEmpty()).isTrue();
    }

    @Test
    void whatANodeKnowsNothingOfIsEndedByAnybody() {
        copies().about(D, OutboxMessages.DELETE, OF_B, range(2, 5)).settle();

        assertThat(a.custodyOf(OF_B, 2)).isNotNull();
        assertThat(a.told(D, OutboxMessages.DELETED)).hasToString("[3..5]");
    }

    @Test
    void refusedWordsAreReportedOnceInAMinute() {
        copies();
        for (int i = 0; i < 10; i++) {
            a.about(D, OutboxMessages.DELETE, OF_B, range(0, 3)).settle();
        }
        assertThat(a.turn.events(OutboxEvent.EndRefused.class)).hasSize(1);

        a.advance(Duration.ofMinutes(1)).about(D, OutboxMessages.DELETE, OF_B, range(0, 1));

        assertThat(a.turn.events(OutboxEvent.EndRefused.class)).hasSize(2);
    }
}
