package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static io.georep.protocol.membership.MembershipFixture.reborn;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.BootKind;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** GOODBYE, said and heard. */
class LeavingTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final NodeIdentity PEER = identity(B);
    private static final NodeIdentity OTHER = identity(C);

    private final MembershipFixture node = hardened().boot();

    private static MembershipMessages.Goodbye read(TestTurn.Sent sent) {
        return MembershipMessages.goodbye(new BinReader(sent.body()));
    }

    @Nested
    class Said {
        private void leave(Duration away) {
            node.command(new MembershipCommand.Leave(away));
        }

        private boolean left() {
            return !node.turn.events(MembershipEvent.Left.class).isEmpty();
        }

        private void confirm(NodeIdentity peer, long number) {
            node.message(peer, MembershipMessages.GOODBYE_OK, MembershipMessages.goodbyeOk(number));
        }

        @Test
        void leavesOnceTheReturnTimeIsDurable() {
            node.meet(PEER);
            leave(HOUR);

            assertThat(node.node.leaving()).isTrue();
            assertThat(node.turn.store().isDurableRequired()).isTrue();
            assertThat(node.turn.sent(B, MembershipMessages.GOODBYE)).isEmpty();

            node.turn.completeStore();
            node.settle();
            TestTurn.Sent sent = node.turn.sent(B, MembershipMessages.GOODBYE).get(0);
            assertThat(read(sent)).isEqualTo(new MembershipMessages.Goodbye(1, HOUR.toMillis()));
            assertThat(sent.urgent())
                    .as("must not overtake copies and acknowledgements")
                    .isFalse();
        }

        @Test
        void anAbsenceWithoutEndIsTheLongestThereIs() {
            node.meet(PEER);
            leave(ChronoUnit.FOREVER.getDuration());
            node.turn.completeStore();
            node.settle();

            assertThat(read(node.turn.sent(B, MembershipMessages.GOODBYE).get(0))
                            .awayMillis())
                    .isEqualTo(Timing.AWAY_MAX.toMillis());
        }

        @Test
        void endsWhenAllInTouchConfirmed() {
            node.meet(PEER);
            node.meet(OTHER);
            node.advanceHearing(Duration.ofSeconds(31), PEER);
            leave(HOUR);
            node.turn.completeStore();
            node.settle();
            assertThat(node.turn.sent(C, MembershipMessages.GOODBYE))
                    .as("peers given up are told too, nobody waits for them")
                    .hasSize(1);
            assertThat(left()).isFalse();

            confirm(PEER, 7);
            assertThat(left()).isFalse();
            confirm(PEER, 1);
            assertThat(left()).isTrue();
        }

        @Test
        void endsAfterTPutWhenSomebodyIsSilent() {
            node.meet(PEER);
            leave(HOUR);
            node.turn.completeStore();
            node.settle();

            node.advance(Duration.ofMillis(2999));
            assertThat(left()).isFalse();
            assertThat(node.turn.sent(B, MembershipMessages.GOODBYE)).hasSize(3);
            node.advance(Duration.ofMillis(1));
            assertThat(left()).isTrue();
            node.advance(HOUR);
            assertThat(node.turn.events(MembershipEvent.Left.class)).hasSize(1);
        }

        @Test
        void endsAtOnceWhenNobodyIsThere() {
            leave(HOUR);
            assertThat(left()).isFalse();
            node.turn.completeStore();
            node.settle();

            assertThat(left()).isTrue();
        }

        @Test
        void isToldToWhoeverIsReachedLater() {
            leave(HOUR);
            node.turn.completeStore();
            node.settle();
            node.advance(Duration.ofMillis(500));

            node.link(PEER);

            TestTurn.Sent sent = node.turn.sent(B, MembershipMessages.GOODBYE).get(0);
            assertThat(read(sent).awayMillis()).isEqualTo(HOUR.toMillis() - 500);
        }

        @Test
        void neverTurnsIntoForGoodByThePassingOfTime() {
            leave(Duration.ofMillis(100));
            node.turn.completeStore();
            node.advance(Duration.ofSeconds(1));

            node.link(PEER);

            assertThat(read(node.turn.sent(B, MembershipMessages.GOODBYE).get(0))
                            .awayMillis())
                    .isEqualTo(1);
        }

        @Test
        void isPartOfTheOwnLineInTheList() {
            leave(HOUR);
            node.turn.completeStore();
            node.settle();
            node.advance(Duration.ofMinutes(1));
            node.meet(PEER);

            assertThat(node.told(MembershipFixture.A).goodbye()).isEqualTo(1);
            assertThat(node.told(MembershipFixture.A).returnMillis())
                    .isEqualTo(HOUR.minusMinutes(1).plusSeconds(5).toMillis());
        }

        @Test
        void forGoodIsZero() {
            node.meet(PEER);
            leave(Duration.ZERO);
            node.turn.completeStore();
            node.settle();

            assertThat(read(node.turn.sent(B, MembershipMessages.GOODBYE).get(0))
                            .awayMillis())
                    .isZero();
            assertThat(node.reboot(Duration.ofSeconds(1)).node.bootKind()).isEqualTo(BootKind.LATE);
        }

        @Test
        void earlyReturnIsPromptAndLateReturnIsLate() {
            leave(HOUR);
            assertThat(node.reboot(HOUR.minusSeconds(1)).node.bootKind()).isEqualTo(BootKind.PROMPT);

            leave(HOUR);
            assertThat(node.reboot(HOUR.plusSeconds(1)).node.bootKind()).isEqualTo(BootKind.LATE);
        }

        @Test
        void theNextBootHasNotSaidGoodbye() {
            leave(HOUR);
            node.reboot(Duration.ofMinutes(1));
            node.meet(PEER);

            assertThat(node.node.leaving()).isFalse();
            assertThat(node.told(MembershipFixture.A).goodbye()).isZero();
            assertThat(node.reboot(Duration.ofMinutes(2)).node.bootKind()).isEqualTo(BootKind.LATE);
        }
    }

    @Nested
    class Heard {
        @Test
        void isConfirmedAndToldToTheOthers() {
            node.meet(PEER);
            node.meet(OTHER);
            node.turn.forget();

            node.goodbye(PEER, 1, HOUR);

            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
            assertThat(node.turn.sent(B, MembershipMessages.GOODBYE_OK)).hasSize(1);
            assertThat(node.turn.sent(C, MembershipMessages.PEERS)).hasSize(1);
            assertThat(node.told(B).goodbye()).isEqualTo(1);
            assertThat(node.told(B).returnMillis())
                    .isEqualTo(HOUR.plusSeconds(5).toMillis());
        }

        @Test
        void holdsUntilTheAnnouncedReturnWithGrace() {
            node.meet(PEER);
            node.goodbye(PEER, 1, HOUR);
            node.unlink(B);

            node.advance(HOUR.plusMillis(4999));
            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
            node.advance(Duration.ofMillis(1));
            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
        }

        @Test
        void endsWithTheNextBootHoweverEarlyOrLate() {
            for (Duration away : new Duration[] {Duration.ofMillis(1), HOUR, HOUR.multipliedBy(3)}) {
                MembershipFixture fresh = hardened().boot();
                fresh.meet(PEER);
                fresh.goodbye(PEER, 1, HOUR);
                fresh.advance(away);
                fresh.frame(PEER);
                assertThat(fresh.state(B)).isNotEqualTo(PeerState.ACTIVE);

                fresh.turn.forget();
                fresh.frame(reborn(PEER));

                assertThat(fresh.state(B)).isEqualTo(PeerState.ACTIVE);
                assertThat(fresh.turn.reachable).containsExactly(B);
                assertThat(fresh.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
            }
        }

        @Test
        void forGoodMeansGivenUpAtOnce() {
            node.meet(PEER);
            node.turn.forget();
            node.goodbye(PEER, 1, Duration.ZERO);

            assertThat(node.turn.changes)
                    .containsExactly(new TestTurn.Changed(B, PeerState.ACTIVE, PeerState.TERMINATED));
            assertThat(node.turn.sent(B, MembershipMessages.GOODBYE_OK)).hasSize(1);
        }

        @Test
        void aRepetitionChangesNothingButIsConfirmedAgain() {
            node.meet(PEER);
            node.meet(OTHER);
            node.goodbye(PEER, 1, HOUR);
            long returnAtNanos = node.peer(B).returnAtNanos;
            node.turn.forget();
            node.advance(Duration.ofSeconds(1));

            node.goodbye(PEER, 1, HOUR.minusSeconds(1));

            assertThat(node.peer(B).returnAtNanos).isEqualTo(returnAtNanos);
            assertThat(node.turn.sent(B, MembershipMessages.GOODBYE_OK)).hasSize(1);
            assertThat(node.turn.sent(C, MembershipMessages.PEERS)).isEmpty();
        }

        @Test
        void silenceDoesNotEndTheAbsence() {
            node.meet(PEER);
            node.goodbye(PEER, 1, HOUR);
            node.advance(Duration.ofMinutes(30));

            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
        }
    }
}
