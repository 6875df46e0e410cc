package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.A;
import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static io.georep.protocol.membership.MembershipFixture.reborn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Greeting, heartbeats, time-outs, selection and round trips as one node sees them. */
class MembershipTest {
    private static final NodeIdentity PEER = identity(B);

    private final MembershipFixture node = hardened();

    @BeforeEach
    void boot() {
        node.boot();
    }

    @Nested
    class Greeting {
        @Test
        void dialsSeedsButNotItself() {
            assertThat(node.turn.seeds).containsExactly("b:1");
            assertThat(node.turn.targets).isEmpty();
        }

        @Test
        void aSeedThatBecameAPeerIsDialledByName() {
            node.link(PEER);
            assertThat(node.turn.seeds).as("it may belong to another cluster").containsExactly("b:1");

            node.frame(PEER);

            assertThat(node.turn.seeds).isEmpty();
            assertThat(node.turn.targets).containsEntry(B, "b:1");
        }

        /** Behind the address there may be another node by now, which knows nobody. */
        @Test
        void theSeedOfADeadPeerIsDialledAgain() {
            node.meet(PEER);
            node.unlink(B);
            node.advance(MembershipFixture.T_S.plus(MembershipFixture.T_X).minusSeconds(1));
            assertThat(node.turn.seeds).isEmpty();

            node.advance(Duration.ofSeconds(2));
            assertThat(node.turn.seeds).containsExactly("b:1");
            assertThat(node.turn.targets).containsEntry(B, "b:1");
            node.reboot(Duration.ofSeconds(1));
            assertThat(node.turn.seeds).containsExactly("b:1");

            node.meet(PEER);
            assertThat(node.turn.seeds).isEmpty();
        }

        @Test
        void helloLeavesWithTheLinkAndIsRepeatedWithBackOff() {
            node.link(PEER);
            assertThat(node.turn.sent(B, MembershipMessages.HELLO)).hasSize(1);

            List<Long> seconds = new ArrayList<>();
            for (int second = 1; second <= 100; second++) {
                node.turn.forget();
                node.advance(Duration.ofSeconds(1));
                if (!node.turn.sent.isEmpty()) {
                    seconds.add((long) second);
                }
            }

            assertThat(seconds).containsExactly(1L, 3L, 7L, 15L, 31L, 61L, 91L);
        }

        @Test
        void nothingIsSentWithoutALink() {
            node.list(PEER, entry(identity(C)));
            node.advance(Duration.ofMinutes(2));

            assertThat(node.turn.sent).isEmpty();
        }

        @Test
        void helloIsAnsweredWithTheWholeList() {
            node.meet(identity(C));
            node.meet(PEER);
            node.turn.forget();

            node.message(PEER, MembershipMessages.HELLO, MembershipMessages.hello(1));

            TestTurn.Sent welcome =
                    node.turn.sent(B, MembershipMessages.WELCOME).get(0);
            assertThat(MembershipMessages.entries(new BinReader(welcome.body())))
                    .extracting(PeerEntry::id)
                    .containsExactly(A, B, C);
            assertThat(node.turn.sent(C, MembershipMessages.PEERS))
                    .as("the others are told about the new address")
                    .isEmpty();
        }

        @Test
        void theOthersAreToldOfANewcomer() {
            node.meet(identity(C));
            node.turn.forget();

            node.frame(PEER);

            assertThat(node.turn.sent(C, MembershipMessages.PEERS)).hasSize(1);
            assertThat(node.told(B).address()).isEqualTo("b:1");
        }

        @Test
        void welcomeWaitsForTheLink() {
            node.message(PEER, MembershipMessages.HELLO, MembershipMessages.hello(1));
            assertThat(node.turn.sent).isEmpty();

            node.link(PEER);
            assertThat(node.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
        }
    }

    @Nested
    class Reachability {
        @Test
        void isAnnouncedWhenAPeerIsFirstHeardOverALink() {
            node.link(PEER);
            assertThat(node.turn.reachable).isEmpty();

            node.frame(PEER);
            assertThat(node.turn.reachable).containsExactly(B);
        }

        @Test
        void isAnnouncedWhenTheLinkComesUpAgain() {
            node.meet(PEER);
            node.turn.forget();
            node.unlink(B);
            node.link(PEER);

            assertThat(node.turn.reachable).containsExactly(B);
            assertThat(node.turn.sent(B, MembershipMessages.WELCOME))
                    .as("lists sent over the broken link may be lost")
                    .hasSize(1);
        }

        @Test
        void isAnnouncedWhenALivePeerStartedAnew() {
            node.meet(PEER);
            node.turn.forget();

            node.frame(reborn(PEER));

            assertThat(node.turn.reachable).containsExactly(B);
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        }

        @Test
        void isAnnouncedWhenAPeerGivenUpIsHeardAgain() {
            node.meet(PEER);
            node.advance(Duration.ofSeconds(31));
            node.turn.forget();

            node.frame(PEER);

            assertThat(node.turn.reachable).containsExactly(B);
            assertThat(node.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
        }

        @Test
        void isNotAnnouncedForEveryFrame() {
            node.meet(PEER);
            node.turn.forget();
            node.advanceHearing(Duration.ofSeconds(20), PEER);

            assertThat(node.turn.reachable).isEmpty();
        }
    }

    @Nested
    class Heartbeats {
        private int heartbeatsIn(Duration time) {
            node.turn.forget();
            node.advance(time);
            return node.turn.sent(B, MembershipMessages.HEARTBEAT).size();
        }

        @Test
        void leaveEverySecondToPeersInTouchAndEveryFiveToOthers() {
            node.meet(PEER);
            node.advance(Duration.ofMillis(500));
            assertThat(heartbeatsIn(Duration.ofSeconds(4))).isEqualTo(4);

            node.advance(Duration.ofSeconds(40));
            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
            assertThat(heartbeatsIn(Duration.ofSeconds(60))).isEqualTo(12);
        }

        @Test
        void leaveToAnAbsentPeerToo() {
            node.meet(PEER);
            node.goodbye(PEER, 1, Duration.ofHours(1));

            assertThat(heartbeatsIn(Duration.ofSeconds(60))).isBetween(11, 13);
        }

        @Test
        void areSavedWhenOtherFramesLeave() {
            node.meet(PEER);
            node.turn.forget();
            for (int i = 0; i < 40; i++) {
                node.node.nextHeader(node.peer(B), node.turn.now());
                node.advance(Duration.ofMillis(100));
            }

            assertThat(node.turn.sent).isEmpty();
        }

        @Test
        void repairListsThatDiffer() {
            node.meet(PEER);
            node.advanceHearing(Duration.ofSeconds(6), PEER);
            node.turn.forget();

            node.message(PEER, MembershipMessages.HEARTBEAT, MembershipMessages.heartbeat(12345));
            assertThat(node.turn.sent(B, MembershipMessages.PEERS)).hasSize(1);

            node.message(PEER, MembershipMessages.HEARTBEAT, MembershipMessages.heartbeat(12345));
            assertThat(node.turn.sent(B, MembershipMessages.PEERS))
                    .as("not again while the first may be on its way")
                    .hasSize(1);
        }

        @Test
        void withTheSameDigestRepairNothing() {
            node.meet(PEER);
            node.advanceHearing(Duration.ofSeconds(6), PEER);
            Slice own = node.turn.sent(B, MembershipMessages.HEARTBEAT).get(0).body();
            node.turn.forget();

            node.message(PEER, MembershipMessages.HEARTBEAT, own);

            assertThat(node.turn.sent(B, MembershipMessages.PEERS)).isEmpty();
        }
    }

    @Nested
    class Selection {
        private boolean selectable() {
            return node.peer(B).selectable(node.turn.now());
        }

        @Test
        void needsEvidenceThatThePeerHearsThisNode() {
            node.meet(PEER);
            assertThat(selectable()).isFalse();

            node.frame(PEER, 1, 0, false);
            assertThat(selectable()).isFalse();
            node.frame(PEER, 1, 0, true);
            assertThat(selectable()).isTrue();
            node.frame(PEER, 999, 0, true);
            assertThat(selectable()).as("echo of a frame never sent").isFalse();
        }

        @Test
        void endsWhenTheEvidenceIsOlderThanTs() {
            node.meet(PEER);
            node.frame(PEER, 1, 4_000_000, true);
            assertThat(selectable()).isTrue();

            node.advance(Duration.ofMillis(1500));
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
            assertThat(selectable()).isFalse();
        }

        @Test
        void endsWithTheLink() {
            node.meet(PEER);
            node.frame(PEER, 1, 0, true);
            assertThat(selectable()).isTrue();

            node.unlink(B);
            assertThat(selectable()).isFalse();
        }

        @Test
        void backPressureConcernsOneProtocolAndEndsWithTheLink() {
            node.meet(PEER);
            node.frame(PEER, 1, 0, true);

            node.node.writable(B, 9, false, node.turn);
            node.node.writable(B, 2, false, node.turn);
            assertThat(node.peer(B).writable(2)).isFalse();
            node.node.writable(B, 2, true, node.turn);
            assertThat(node.peer(B).writable(2)).isTrue();
            assertThat(node.peer(B).writable(9)).isFalse();
            assertThat(selectable()).isTrue();
            node.unlink(B);
            node.link(PEER);
            assertThat(node.peer(B).writable(9)).isTrue();
        }

        @Test
        void roundTripIsExposed() {
            node.meet(PEER);
            assertThat(node.peer(B).rttMinNanos()).isEqualTo(Long.MAX_VALUE);
            node.turn.advance(Duration.ofMillis(80));
            node.frame(PEER, 1, 30_000, true);

            assertThat(node.peer(B).rttMinNanos()).isEqualTo(50_000_000);
            node.frame(reborn(PEER));
            assertThat(node.peer(B).rttMinNanos()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void unknownMessagesAreMalformed() {
        node.meet(PEER);

        assertThatThrownBy(
                        () -> node.node.onMessage(node.peer(B), 99, new BinReader(new BinWriter().view()), node.turn))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("99");
    }

    @Test
    void refusalsOfOthersAreToldOnceEach() {
        node.node.refused("b:1", "wrong cluster", node.turn);
        node.node.refused("b:1", "wrong cluster", node.turn);
        node.node.refused("b:1", "wrong version", node.turn);

        assertThat(node.turn.events)
                .containsExactly(
                        new MembershipEvent.Refused("b:1", "wrong cluster"),
                        new MembershipEvent.Refused("b:1", "wrong version"));
    }

    @Test
    void theAddressBoundIsTheOneTold() {
        node.node.bound("a:7400");
        node.meet(PEER);

        assertThat(node.told(A).address()).isEqualTo("a:7400");
        assertThat(node.node.self().address()).isEqualTo("a:7400");
    }
}
