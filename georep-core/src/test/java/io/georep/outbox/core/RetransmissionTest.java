package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import io.georep.outbox.core.messages.OutboxMessages;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What must arrive is said again (6.5, 6.6, G7, G9): when a peer is reachable, and from time to time. */
class RetransmissionTest {
    private static final Duration LATER = Duration.ofSeconds(4);
    private final OutboxFixture a = OutboxFixture.hardened();

    @Test
    void deletesAreRepeatedUntilConfirmed() {
        a.stored(1, B, C).credit(1).settle().forwarded(a.own(), 0).settle();
        a.confirm(C, OutboxMessages.DELETED, a.own(), range(0, 1)).settle().turn.forget();

        a.advance(LATER);
        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[0..1]");
        assertThat(a.told(C, OutboxMessages.DELETE).isEmpty()).isTrue();

        a.turn.forget();
        a.reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[0..1]");
    }

    @Test
    void claimsAreRepeatedUntilConfirmed() {
        a.copy(B, OF_B, 0, 2, custody(0, B, OutboxFixture.A, C)).settle();
        a.become(B, PeerState.TERMINATED).settle().turn.forget();

        a.advance(LATER);
        assertThat(a.told(C, OutboxMessages.UPDATE)).hasToString("[0..2]");

        a.turn.forget();
        a.become(B, PeerState.ACTIVE).reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.UPDATE)).hasToString("[0..2]");
    }

    @Test
    void releasesAreRepeatedUntilConfirmed() {
        a.put(1, 1).settle().become(B, PeerState.SCHRODINGER).settle();
        a.turn.forget();

        a.advance(LATER);
        assertThat(a.told(B, OutboxMessages.RELEASE)).hasToString("[0..1]");

        a.confirm(B, OutboxMessages.RELEASED, a.own(), range(0, 1))
                .settle()
                .turn
                .forget();
        a.advance(LATER).reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.RELEASE).isEmpty()).isTrue();
    }

    @Test
    void whatStaysUnconfirmedIsSaidWithGrowingPausesAndToWhoReturnsAsInTheBeginning() {
        a.stored(1, B).credit(1).settle().forwarded(a.own(), 0).settle();
        for (int beats = 2; beats <= 16; beats *= 2) {
            a.turn.forget();
            a.advance(Duration.ofSeconds(beats));
            assertThat(a.turn.sent(B, OutboxMessages.DELETE))
                    .as("within " + beats + " heartbeats")
                    .hasSize(1);
        }
        a.peers.peer(B).linked = false;
        a.turn.forget();
        a.advance(Duration.ofSeconds(100));
        assertThat(a.turn.sent(B, OutboxMessages.DELETE)).isEmpty();

        a.reachable(B).settle();
        a.advance(Duration.ofSeconds(4));
        assertThat(a.turn.sent(B, OutboxMessages.DELETE))
                .as("at once, and soon")
                .hasSize(3);
    }

    @Test
    void nothingIsSaidToPeersWithoutALink() {
        a.stored(1, B).credit(1).settle().forwarded(a.own(), 0).settle().turn.forget();
        a.peers.peer(B).linked = false;

        a.advance(LATER);

        assertThat(a.turn.sent).noneMatch(sent -> sent.to().equals(B));
    }
}
