package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.A;
import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.drained;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static io.georep.protocol.membership.MembershipFixture.reborn;
import static io.georep.protocol.membership.MembershipFixture.removed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Drain and removal (p12). */
class OperatorTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final NodeIdentity PEER = identity(B);
    private static final NodeIdentity OTHER = identity(C);

    private final MembershipFixture node = hardened().boot();

    @Nested
    class Drain {
        private void drain(NodeIdentity who, boolean on) {
            node.command(new MembershipCommand.Drain(who.id(), on));
        }

        @Test
        void ofAPeerIsAnnouncedAndGossiped() {
            node.meet(PEER);
            node.meet(OTHER);
            node.frame(PEER, 1, 0, true);
            assertThat(node.peer(B).selectable(node.turn.now())).isTrue();
            node.turn.forget();

            drain(PEER, true);

            assertThat(node.peer(B).selectable(node.turn.now())).isFalse();
            assertThat(node.turn.changes).containsExactly(new TestTurn.Changed(B, PeerState.ACTIVE, PeerState.ACTIVE));
            assertThat(node.turn.events).contains(new MembershipEvent.Drained(B, true));
            assertThat(node.turn.sent(C, MembershipMessages.PEERS)).hasSize(1);
            assertThat(node.told(B).drainVersion()).isEqualTo(1);

            drain(PEER, false);
            assertThat(node.peer(B).selectable(node.turn.now())).isTrue();
            assertThat(node.told(B).drainVersion()).isEqualTo(2);
        }

        @Test
        void ofThisNodeOutlivesARestart() {
            drain(node.node.self(), true);
            assertThat(node.node.selfDrained()).isTrue();
            assertThat(node.turn.events).contains(new MembershipEvent.Drained(A, true));

            node.reboot(Duration.ofSeconds(1));
            assertThat(node.node.selfDrained()).isTrue();
            node.meet(PEER);
            assertThat(node.told(A).drained()).isTrue();
        }

        @Test
        void ofThisNodeIsLearntFromOthers() {
            node.meet(PEER);
            node.list(PEER, drained(entry(node.node.self()), 4, true));
            assertThat(node.node.selfDrained()).isTrue();

            node.list(PEER, drained(entry(node.node.self()), 3, false));
            assertThat(node.node.selfDrained()).isTrue();
        }

        @Test
        void ofAStrangerDoesNothing() {
            drain(OTHER, true);

            assertThat(node.peer(C)).isNull();
        }
    }

    @Nested
    class Remove {
        private void remove(NodeIdentity who) {
            node.command(new MembershipCommand.Remove(who.id()));
        }

        @Test
        void givesThePeerUpAtOnceAndStopsDialling() {
            node.meet(PEER);
            node.turn.forget();

            remove(PEER);

            assertThat(node.peer(B).removed()).isTrue();
            assertThat(node.turn.changes)
                    .containsExactly(new TestTurn.Changed(B, PeerState.ACTIVE, PeerState.TERMINATED));
            assertThat(node.turn.events).contains(new MembershipEvent.Removed(B));
            assertThat(node.turn.targets).doesNotContainKey(B);
            assertThat(node.turn.sent(B, MembershipMessages.PEERS))
                    .as("the last word to it")
                    .hasSize(1);
            assertThat(node.told(B).removed()).isTrue();
        }

        @Test
        void refusesThePeerByName() {
            node.meet(PEER);
            remove(PEER);
            node.turn.forget();

            assertThat(node.frame(PEER, node.peer(B).traffic.sent(), 0, false)).isFalse();
            node.link(PEER);
            node.node.lifeSign(PEER, node.turn);

            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
            assertThat(node.turn.refusals)
                    .hasSize(2)
                    .allSatisfy(refusal -> assertThat(refusal.reason())
                            .contains("'b'")
                            .contains("b:1")
                            .contains("removed by an operator"));
        }

        /** Else it would go on handing out what others have taken over. */
        @Test
        void isToldAgainUntilThePeerConfirms() {
            node.meet(PEER);
            remove(PEER);
            node.unlink(B);
            for (int i = 0; i < 3; i++) {
                node.turn.forget();
                assertThat(node.frame(PEER)).isFalse();
                assertThat(node.turn.targets).containsEntry(B, "b:1");
                node.link(PEER);
                assertThat(node.told(B).removed()).isTrue();
                node.unlink(B);
            }
            assertThat(node.turn.refusals).isEmpty();

            assertThat(node.frame(PEER, node.peer(B).traffic.sent(), 0, false)).isFalse();

            assertThat(node.turn.refusals).hasSize(1);
            assertThat(node.turn.targets).doesNotContainKey(B);
        }

        /** What is not urgent waits behind the copies for the peer, and is dropped with them when the link goes down. */
        @Test
        void isToldBeforeWhatWaitsForThePeer() {
            node.meet(PEER);
            node.turn.forget();

            remove(PEER);

            assertThat(node.turn.sent(B, MembershipMessages.PEERS)).isNotEmpty().allMatch(TestTurn.Sent::urgent);
            node.turn.forget();
            node.frame(PEER);
            assertThat(node.turn.sent(B, MembershipMessages.WELCOME))
                    .isNotEmpty()
                    .allMatch(TestTurn.Sent::urgent);
        }

        @Test
        void isConfirmedByAPeerThatSendsMoreThanItHears() {
            node.meet(PEER);
            remove(PEER);
            long told = node.peer(B).traffic.sent();
            for (int i = 0; i < 3; i++) {
                assertThat(node.frame(PEER)).isFalse();
            }
            assertThat(node.turn.refusals).isEmpty();

            node.frame(PEER, told, 0, false);

            assertThat(node.turn.refusals).hasSize(1);
        }

        @Test
        void isNotConfirmedByAnEchoOfAnEarlierLink() {
            node.meet(PEER);
            remove(PEER);
            long lost = node.peer(B).traffic.sent();
            node.unlink(B);
            node.frame(PEER);
            node.link(PEER);

            node.frame(PEER, lost, 0, false);
            assertThat(node.turn.refusals).isEmpty();

            node.frame(PEER, lost + 1, 0, false);
            assertThat(node.turn.refusals).hasSize(1);
        }

        @Test
        void isNotConfirmedByEchoesOfAnEarlierBoot() {
            node.meet(PEER);
            remove(PEER);
            node.reboot(Duration.ofSeconds(1));
            node.frame(PEER, 500, 0, false);
            node.link(PEER);
            long told = node.peer(B).traffic.sent();

            node.frame(PEER, 500, 0, false);
            assertThat(node.turn.refusals).as("more than this boot has sent").isEmpty();
            node.frame(PEER, told, 1_000_000, false);
            assertThat(node.turn.refusals)
                    .as("it arrived before this boot sent that one")
                    .isEmpty();

            node.advance(Duration.ofMillis(1));
            node.frame(PEER, told, 0, false);
            assertThat(node.turn.refusals).hasSize(1);
        }

        @Test
        void staysInForceWhenOthersStillKnowThePeer() {
            node.meet(PEER);
            node.meet(OTHER);
            remove(PEER);
            node.list(OTHER, entry(PEER));

            assertThat(node.peer(B).removed()).isTrue();
        }

        @Test
        void isLearntFromOthers() {
            node.meet(PEER);
            node.meet(OTHER);
            node.list(OTHER, removed(entry(PEER), 2, DAY));

            assertThat(node.peer(B).removed()).isTrue();
            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
        }

        @Test
        void doesNotHitALaterBoot() {
            node.meet(reborn(PEER));
            node.meet(OTHER);
            node.list(OTHER, removed(entry(PEER), 2, DAY));

            assertThat(node.peer(B).removed()).isFalse();
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        }

        @Test
        void endsWhenThePeerIsStartedAnew() {
            node.meet(PEER);
            remove(PEER);

            assertThat(node.frame(reborn(PEER))).isTrue();

            assertThat(node.peer(B).removed()).isFalse();
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
            assertThat(node.turn.targets).containsEntry(B, "b:1");
        }

        @Test
        void isForgottenAfterTheLifeOfTombstones() {
            node.meet(PEER);
            remove(PEER);
            node.advance(DAY.minusSeconds(1));
            assertThat(node.peer(B)).isNotNull();

            node.advance(Duration.ofSeconds(1));
            assertThat(node.peer(B)).isNull();
            node.reboot(Duration.ofSeconds(1));
            assertThat(node.peer(B)).isNull();
        }

        @Test
        void sendsNoMoreHeartbeats() {
            node.meet(PEER);
            remove(PEER);
            node.turn.forget();
            node.advance(Duration.ofMinutes(5));

            assertThat(node.turn.sent).isEmpty();
        }

        @Test
        void ofThisNodeIsLearntFromOthers() {
            node.meet(PEER);
            node.list(PEER, removed(entry(node.node.self()), 2, DAY));
            node.list(PEER, removed(entry(node.node.self()), 2, DAY));

            assertThat(node.turn.events(MembershipEvent.Removed.class)).containsExactly(new MembershipEvent.Removed(A));
            assertThat(node.node.leaving()).isTrue();
            node.reboot(Duration.ofSeconds(1));
            assertThat(node.node.leaving()).isFalse();
        }

        @Test
        void ofThisNodeDoesNotHitTheIncarnationItTakesBecauseItsStoreIsOld() {
            NodeIdentity own = node.node.self();
            NodeIdentity later = new NodeIdentity(A, 9, own.generation(), 4711, "a:1", "east");
            node.meet(PEER);
            node.list(PEER, removed(entry(own), 2, DAY));
            assertThat(node.node.leaving()).isTrue();

            node.list(PEER, removed(entry(later), 10, DAY));

            assertThat(node.node.self().incarnation()).isEqualTo(10);
            assertThat(node.node.leaving()).isFalse();
        }

        /** Its replacement under the same name has joined, and may be gone again. */
        @Test
        void ofThisNodeIsLearntFromItsReplacementsNumberToo() {
            node.advance(DAY);
            node.meet(PEER);
            node.list(PEER, removed(entry(identity(A, 2, "a:2", 4711)), 2, DAY.minusHours(1)));
            node.list(PEER, removed(entry(identity(A, 3, "a:2", 4712)), 2, DAY.minusHours(2)));

            assertThat(node.node.selfRemoved()).isTrue();
            assertThat(node.node.self().incarnation()).isEqualTo(1);
            assertThat(node.turn.events(MembershipEvent.Removed.class)).containsExactly(new MembershipEvent.Removed(A));
        }

        /** The others forgot the removal, or one tells that may not speak of it: the replacement is still another process. */
        @Test
        void ofThisNodeIsNotUndoneByItsReplacementsNumberAlone() {
            node.meet(PEER);
            node.meet(identity(C).withLimited(true));
            node.list(PEER, removed(entry(node.node.self()), 2, DAY));

            node.list(identity(C).withLimited(true), entry(identity(A, 2, "a:2", 4711)));
            node.list(PEER, entry(identity(A, 2, "a:2", 4711)));

            assertThat(node.node.selfRemoved()).isTrue();
            assertThat(node.node.self().incarnation()).isEqualTo(1);
        }

        /** It is a second replacement, whose directory is empty again. */
        @Test
        void ofAnEarlierProcessDoesNotHitTheOneStartedSince() {
            node.advance(Duration.ofMinutes(59));
            node.meet(PEER);
            node.list(PEER, removed(entry(identity(A, 2, "a:2", 4711)), 2, DAY.minusHours(1)));

            assertThat(node.node.selfRemoved()).isFalse();
            assertThat(node.node.self().incarnation()).isEqualTo(3);
        }

        @Test
        void ofAStrangerDoesNothing() {
            remove(OTHER);

            assertThat(node.peer(C)).isNull();
        }
    }

    @Test
    void otherCommandsAreProgrammingErrors() {
        assertThatThrownBy(() -> node.command(null)).isInstanceOf(IllegalArgumentException.class);
    }
}
