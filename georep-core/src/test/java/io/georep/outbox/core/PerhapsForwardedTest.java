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
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.BootKind;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever perhaps forwarded what another node holds now says so, and what it says counts (6.16.5), message by message. */
class PerhapsForwardedTest {
    private static final Duration TICK = Duration.ofMillis(1100);

    private final OutboxFixture a = OutboxFixture.hardened();

    private static final Custody OF_ADOPTER = custody(1, A, B).withOrder(List.of(B, A));

    private List<Boolean> announced(int entries) {
        a.turn.forget();
        return a.credit(entries).settle().deliveries().stream()
                .map(OutboxEvent.Delivered::possiblySent)
                .toList();
    }

    /** Its claim may have lost, and an owner that has a copy only, or none any more, tells nothing of that. */
    @Test
    void whatAnotherNodeSaysItHeldIsPossiblySentWhateverItAnswersLater() {
        a.stored(3, B);
        a.claim(B, OutboxMessages.CLAIM, a.own(), OF_ADOPTER, range(0, 1))
                .claim(B, OutboxMessages.CLAIM, a.own(), custody(1, A, B), range(1, 2))
                .claim(B, OutboxMessages.CLAIM, a.own(), custody(1, C, B), range(2, 3))
                .settle()
                .reboot(BootKind.PROMPT)
                .answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 3));

        assertThat(announced(3)).containsExactly(true, false, true);
    }

    /** Of a peer that may not decide over others it counts as far as it is an owner (6.19.2). */
    @Test
    void whatALimitedStrangerSaysItHeldIsNotPossiblySent() {
        a.peers.peer(B).limited = true;
        a.peers.peer(D).limited = true;
        a.stored(3, B);

        a.claim(D, OutboxMessages.CLAIM, a.own(), custody(1, D), range(0, 3)).settle();
        assertThat(a.table(a.own()).uncertain.isEmpty()).isTrue();
        assertThat(a.turn.events(OutboxEvent.EndRefused.class))
                .containsExactly(new OutboxEvent.EndRefused(OutboxFixture.QUEUE, D, 3));

        a.claim(B, OutboxMessages.CLAIM, a.own(), custody(1, B, A), range(0, 2)).settle();
        assertThat(a.table(a.own()).uncertain.all()).hasToString("[0..2]");
    }

    @Test
    void whatAnotherNodeTriedIsPossiblySent() {
        a.stored(2, B);
        AttemptNews.Item item = new AttemptNews.Item(0, new AttemptMark(0, false, 2), null);
        a.message(B, OutboxMessages.ATTEMPTS, AttemptNews.body(a.table(a.own()), List.of(item)))
                .settle();

        assertThat(announced(2)).containsExactly(true, false);
        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::cause)
                .containsExactly(RepetitionCause.ATTEMPTED, null);
    }

    /** Node b gave up too early, and holds its entries by a better claim; a handler of this node had the first one. */
    private OutboxFixture withOneTriedOfThree() {
        a.tuning = node -> node.splitEarly(OutboxBounds.RANGES_MAX, 0);
        a.copy(B, OF_B, 0, 3, custody(0, B, A, C)).settle();
        a.become(B, PeerState.TERMINATED).credit(1).settle().settle();
        assertThat(a.delivered()).containsExactly(0L);
        a.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(OF_B, 0))), a.turn);
        a.settle();
        a.become(B, PeerState.ACTIVE).peers.peer(B).linked = true;
        a.turn.forget();
        return a;
    }

    private void saysThatItHeld(String entries, int aheadOf) {
        assertThat(a.claims(B, OutboxMessages.CLAIM))
                .containsExactly(custody(1, B, A, C).withOrder(List.of(A, C, B)));
        assertThat(a.told(B, OutboxMessages.CLAIM)).hasToString(entries);
        List<Integer> types =
                a.turn.sent.stream().map(TestTurn.Sent::type).distinct().toList();
        assertThat(types.indexOf(OutboxMessages.CLAIM)).isBetween(0, types.indexOf(aheadOf));
        a.turn.forget();
    }

    /** Until it is over: what was said may be lost, and whoever asks may ask again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoPerhapsForwardedWhatItHoldsNoMoreSaysSoAheadOfAllThatItSays(boolean owner) {
        Custody claim = owner ? custody(5, B, A, C) : custody(5, B, C, D);
        withOneTriedOfThree().claim(B, OutboxMessages.UPDATE, OF_B, claim, range(0, 3));
        a.settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(owner ? EntryState.COPY : EntryState.REMOVED);
        saysThatItHeld("[0..1]", OutboxMessages.UPDATED);

        a.reboot(BootKind.PROMPT).about(B, OutboxMessages.QUERY, OF_B, range(0, 3));
        a.settle();
        saysThatItHeld("[0..1]", OutboxMessages.ANSWER);

        a.claim(B, OutboxMessages.RELEASE, OF_B, custody(6, B, C, D), range(0, 3))
                .settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.REMOVED);
        saysThatItHeld("[0..1]", OutboxMessages.RELEASED);

        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 3)).settle();
        assertThat(a.table(OF_B).duties.finishedClaims.of(range(0, 3))).isEmpty();
    }

    /** By the claim by which it held them, whatever it has to do with them since. */
    @Test
    void whoPerhapsForwardedAnEntrySaysSoAlsoWhenOthersHoldItByTurns() {
        withOneTriedOfThree().claim(B, OutboxMessages.UPDATE, OF_B, custody(5, B, A, C), range(0, 3));
        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(6, D, A, C), range(0, 3))
                .claim(D, OutboxMessages.RELEASE, OF_B, custody(7, D, C), range(0, 3))
                .settle();
        assertThat(a.table(OF_B).duties.unreleased.of(B).all()).hasToString("[0..3]");
        a.confirm(B, OutboxMessages.RELEASED, OF_B, range(0, 3)).settle().turn.forget();

        a.about(B, OutboxMessages.QUERY, OF_B, range(0, 3)).settle();

        saysThatItHeld("[0..1]", OutboxMessages.ANSWER);
    }

    @Test
    void whoHandsOverWhatItPerhapsForwardedSaysSoFirst() {
        withOneTriedOfThree();
        a.peers.drained = true;
        a.become(C, PeerState.TERMINATED).reachable(B);
        a.answer(B, OF_B, OutboxMessages.ANSWER_COPY, custody(0, B, A, C), range(0, 3))
                .settle()
                .turn
                .forget();

        a.advance(TICK);

        assertThat(a.custodyOf(OF_B, 0).first()).isEqualTo(B);
        saysThatItHeld("[0..1]", OutboxMessages.UPDATE);
    }

    /** That it was handed out is not forced to disk; that it was adopted is. */
    @Test
    void afterABootWhateverWasAdoptedMayHaveBeenForwarded() {
        withOneTriedOfThree().reboot(BootKind.PROMPT).turn.forget();

        a.claim(B, OutboxMessages.UPDATE, OF_B, custody(5, B, A, C), range(1, 3))
                .settle();

        saysThatItHeld("[1..3]", OutboxMessages.UPDATED);
    }
}
