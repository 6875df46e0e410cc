package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.A;
import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static io.georep.protocol.membership.MembershipFixture.reborn;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Who is let in: older boots (p11), two processes with one id (gap G13), this node's own id. */
class FrameAdmissionTest {
    private static final NodeIdentity PEER = identity(B);
    private static final NodeId D = NodeId.of("d");
    private static final NodeIdentity TWIN = identity(B, 2, "elsewhere:1", 99);

    private final MembershipFixture node = hardened().boot();

    @Nested
    class OlderBoots {
        @Test
        void areDroppedAndAnsweredWithWelcome() {
            node.meet(reborn(PEER));
            node.advance(Duration.ofSeconds(4));
            node.turn.forget();

            assertThat(node.frame(PEER)).isFalse();

            assertThat(node.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
            assertThat(node.told(B).incarnation()).isEqualTo(2);
            assertThat(node.turn.changes).isEmpty();
            node.advance(Duration.ofSeconds(1));
            assertThat(node.state(B)).as("no life sign").isEqualTo(PeerState.SCHRODINGER);
        }

        @Test
        void atAnotherAddressAreDialledSoThatTheyLearn() {
            NodeIdentity restored = identity(B, 1, "restored:1", 500);
            node.meet(reborn(PEER));
            node.unlink(B);
            node.advance(Duration.ofSeconds(31));
            node.turn.forget();

            node.frame(restored);
            assertThat(node.turn.targets).containsEntry(B, "restored:1");
            node.link(restored);
            assertThat(node.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
            assertThat(node.turn.reachable).isEmpty();

            node.frame(identity(B, 3, "restored:1", 500));
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
            assertThat(node.turn.targets).containsEntry(B, "restored:1");
        }

        /** It was met by name only, so that it is a Prospect that is greeted with WELCOME and not with HELLO. */
        @Test
        void areGreetedWhenTheyAreLinkedAndLeaveAllSilencesAlone() {
            node.meet(identity(C));
            node.goodbye(identity(C), 1, Duration.ofDays(7));
            node.list(identity(D), entry(reborn(reborn(PEER))));
            node.advance(Duration.ofDays(6));
            node.frame(identity(D));
            node.advance(Duration.ofSeconds(4));

            node.link(PEER);
            node.settle();
            assertThat(node.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
            node.advance(Duration.ofSeconds(26));

            assertThat(node.turn.sent(B, MembershipMessages.HELLO)).isNotEmpty();
            assertThat(node.state(D)).as("silent for T_s + T_x").isEqualTo(PeerState.TERMINATED);
            node.advance(Duration.ofDays(1).plusMinutes(10));
            assertThat(node.state(C)).as("its return is overdue").isEqualTo(PeerState.TERMINATED);
        }

        @Test
        void theHeaderCountsWhenAProcessRaisedItsIncarnation() {
            node.meet(PEER);
            FrameHeader raised = new FrameHeader(7, 1, 0, 0, true, true, 30_000);

            assertThat(node.node.frameArrived(PEER, raised, node.turn)).isNotNull();

            assertThat(node.peer(B).incarnation()).isEqualTo(7);
            assertThat(node.frame(PEER)).as("sent before it was raised").isFalse();
        }

        @Test
        void aNewLinkToAProcessThatRaisedItsIncarnationIsAccepted() {
            node.meet(PEER);
            node.node.frameArrived(PEER, new FrameHeader(7, 1, 0, 0, true, true, 30_000), node.turn);
            node.unlink(B);
            node.turn.forget();

            node.link(PEER);

            assertThat(node.peer(B).linked()).isTrue();
            assertThat(node.peer(B).incarnation()).isEqualTo(7);
            assertThat(node.turn.reachable).containsExactly(B);
        }
    }

    @Nested
    class AnnouncedChannels {
        private static final int CHANNEL = 9;
        private final NodeIdentity more = PEER.withChannels(Channels.of(Map.of(1, 1, 2, 1, CHANNEL, 3)));
        private final NodeIdentity upgraded = reborn(PEER).withChannels(more.channels());

        @Test
        void areThoseOfTheProcessTheLinkLeadsTo() {
            node.link(more);

            assertThat(node.peer(B).version(CHANNEL)).isEqualTo(3);
            assertThat(node.peer(B).version(2)).isEqualTo(1);
            assertThat(node.peer(B).version(10)).isZero();
        }

        @Test
        void areThoseOfWhoWasHeardAsLongAsThereIsNoLink() {
            node.frame(more);

            assertThat(node.peer(B).version(CHANNEL)).isEqualTo(3);
        }

        @Test
        void areUnknownOfWhoIsKnownByNameOnly() {
            node.list(identity(C), entry(PEER));

            assertThat(node.peer(B).version(1)).isZero();
        }

        @Test
        void ofTheNextProcessCountFromTheLinkToItOnAndHostedProtocolsAreTold() {
            node.meet(PEER);
            node.frame(upgraded);
            assertThat(node.peer(B).version(CHANNEL))
                    .as("what is sent goes to the old process")
                    .isZero();
            node.turn.forget();

            node.unlink(B);
            node.link(upgraded);

            assertThat(node.peer(B).version(CHANNEL)).isEqualTo(3);
            assertThat(node.turn.reachable).containsExactly(B);
        }

        @Test
        void ofTheNextProcessCountBeforeItsFirstFrame() {
            node.meet(more);
            node.unlink(B);
            node.turn.forget();

            node.link(reborn(PEER));

            assertThat(node.peer(B).version(CHANNEL)).as("it was downgraded").isZero();
            assertThat(node.turn.reachable).containsExactly(B);
        }

        @Test
        void ofAnOlderBootCountWhileTheLinkLeadsThere() {
            node.meet(upgraded);
            node.unlink(B);

            node.link(PEER);

            assertThat(node.peer(B).version(CHANNEL)).isZero();
        }
    }

    @Nested
    class TwoProcesses {
        @Test
        void theSecondIsRefusedWhileTheFirstLives() {
            node.meet(PEER);
            node.turn.forget();

            assertThat(node.frame(TWIN)).isFalse();
            node.frame(TWIN);

            assertThat(node.turn.refusals).hasSize(2).allSatisfy(refusal -> {
                assertThat(refusal.peer()).isEqualTo(TWIN);
                assertThat(refusal.reason()).contains("b:1").contains("elsewhere:1");
            });
            assertThat(node.turn.events(MembershipEvent.Conflict.class)).hasSize(1);
            assertThat(node.peer(B).incarnation()).isEqualTo(1);
            assertThat(node.turn.targets).containsEntry(B, "b:1");
        }

        @Test
        void theSecondIsRefusedWhenItIsReachedByALinkToo() {
            node.meet(PEER);
            node.unlink(B);

            node.link(TWIN);

            assertThat(node.turn.refusals).hasSize(1);
            assertThat(node.peer(B).linked()).isFalse();
        }

        @Test
        void theSecondIsLetInWhenTheFirstIsGivenUp() {
            node.meet(PEER);
            node.unlink(B);
            node.frame(TWIN);
            node.advance(Duration.ofSeconds(29));
            node.frame(TWIN);
            assertThat(node.state(B)).isEqualTo(PeerState.SCHRODINGER);

            node.advance(Duration.ofSeconds(1));
            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
            assertThat(node.turn.targets).containsEntry(B, "elsewhere:1");

            node.link(TWIN);
            assertThat(node.frame(TWIN)).isTrue();
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
            assertThat(node.peer(B).incarnation()).isEqualTo(2);
        }

        @Test
        void theSecondIsLetInWhenTheFirstSaidGoodbye() {
            node.meet(PEER);
            node.goodbye(PEER, 1, Duration.ofHours(1));

            assertThat(node.frame(TWIN)).isTrue();
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        }

        @Test
        void aRestartOnTheSameAddressIsAcceptedAtOnce() {
            node.meet(PEER);

            assertThat(node.frame(reborn(PEER))).isTrue();
            assertThat(node.turn.refusals).isEmpty();
        }

        @Test
        void anotherProcessWithThisNodesOwnIdIsRefused() {
            NodeIdentity copy = identity(A, 1, "copy:1", 4711);

            assertThat(node.frame(copy)).isFalse();
            node.link(copy);

            assertThat(node.turn.refusals).hasSize(2);
            assertThat(node.turn.refusals.get(0).reason()).contains("a:1").contains("copy:1");
            assertThat(node.turn.events(MembershipEvent.Conflict.class)).hasSize(1);
            assertThat(node.node.all()).isEmpty();
        }

        @Test
        void aSeedThatLeadsBackHereIsNoConflict() {
            node.link(node.node.self());
            assertThat(node.frame(node.node.self())).isFalse();

            assertThat(node.turn.refusals).isEmpty();
            assertThat(node.turn.events).isEmpty();
            assertThat(node.node.all()).isEmpty();
        }
    }

    @Test
    void strangersAreLearntFromTheirFirstFrame() {
        assertThat(node.frame(identity(C))).isTrue();

        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.peer(C).generation()).isEqualTo(identity(C).generation());
        assertThat(node.turn.targets).containsEntry(C, "c:1");
    }

    @Test
    void eventsOfUnknownLinksAreIgnored() {
        node.node.linkDown(C, "test", node.turn);
        node.node.writable(C, 2, false, node.turn);

        assertThat(node.peer(C)).isNull();
    }
}
