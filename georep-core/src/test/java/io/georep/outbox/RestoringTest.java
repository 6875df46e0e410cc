package io.georep.outbox;

import static io.georep.outbox.OutboxFixture.A;
import static io.georep.outbox.OutboxFixture.B;
import static io.georep.outbox.OutboxFixture.C;
import static io.georep.outbox.OutboxFixture.OF_B;
import static io.georep.outbox.OutboxFixture.custody;
import static io.georep.outbox.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ProtocolConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Copies that other owners lost are made again (6.8.6), message by message. */
class RestoringTest {
    private static final Duration TICK = Duration.ofMillis(1100);
    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxFixture withLoss() {
        a.stored(3, B).reachable(B).settle();
        a.answer(B, a.own(), OutboxMessages.ANSWER_UNKNOWN, null, range(1, 3))
                .settle()
                .turn
                .forget();
        return a.advance(TICK);
    }

    @Test
    void whatAnOwnerLostIsCopiedAgainAndStaysMissingUntilItConfirms() {
        withLoss();
        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[1..3]");
        assertThat(a.table(a.own()).missing.get(B).all()).hasToString("[1..3]");

        a.turn.forget();
        a.advance(ProtocolConfig.defaults().putTimeout().plus(TICK));
        assertThat(a.told(B, OutboxMessages.REPLICATE)).as("repeated").hasToString("[1..3]");

        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(1, 3)).settle();
        assertThat(a.table(a.own()).missing).isEmpty();
    }

    @Test
    void anOwnerIsAskedOncePerBoot() {
        a.stored(3, B).reachable(B).settle();
        a.answer(B, a.own(), OutboxMessages.ANSWER_INACTIVE, custody(0, A, B), range(0, 3))
                .settle();
        a.turn.forget();
        a.reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.QUERY).isEmpty()).isTrue();

        a.peers.peer(B).incarnation++;
        a.reachable(B).settle();

        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..3]");
    }

    @Test
    void whoRefusesIsLeftAloneForAWhile() {
        withLoss().turn.forget();

        a.ack(B, a.own(), OutboxMessages.STATUS_REFUSED, 0, range(1, 3)).settle();
        assertThat(a.told(B, OutboxMessages.REPLICATE).isEmpty()).isTrue();

        a.advance(TICK.multipliedBy(2));
        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[1..3]");
    }

    @Test
    void aTombstoneAtTheOwnerEndsTheEntryHere() {
        withLoss()
                .ack(B, a.own(), OutboxMessages.STATUS_DELETED, 0, range(1, 3))
                .settle();

        assertThat(a.custodyOf(a.own(), 1)).isNull();
        assertThat(a.custodyOf(a.own(), 0)).isNotNull();
    }

    @Test
    void anOwnerConfirmsNoClaimToWhatItDoesNotHave() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A, C)).settle();

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 2))
                .settle();

        assertThat(a.told(C, OutboxMessages.UPDATED)).hasToString("[0..1]");
        assertThat(a.answered(C, OutboxMessages.ANSWER_UNKNOWN)).hasToString("[1..2]");
    }

    @Test
    void anOwnerThatWasReleasedHasNoCopy() {
        a.stored(1, B).reachable(B).settle();

        a.answer(B, a.own(), OutboxMessages.ANSWER_RELEASED, custody(0, A, C), range(0, 1))
                .settle();

        assertThat(a.table(a.own()).missing.get(B).all()).hasToString("[0..1]");
    }
}
