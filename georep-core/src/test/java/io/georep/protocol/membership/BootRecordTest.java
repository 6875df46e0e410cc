package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.A;
import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.drained;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static io.georep.protocol.membership.MembershipFixture.removed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.Bound;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.protocol.BootKind;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What survives a restart, and what a node finds out about its own past. */
class BootRecordTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final NodeIdentity PEER = identity(B);

    private final MembershipFixture node = hardened().boot();

    @Nested
    class Identity {
        @Test
        void incarnationRisesAndGenerationStays() {
            NodeIdentity first = node.node.self();
            node.reboot(Duration.ofSeconds(1));
            NodeIdentity second = node.node.self();

            assertThat(first.incarnation()).isEqualTo(1);
            assertThat(second.incarnation()).isEqualTo(2);
            assertThat(second.generation()).isEqualTo(first.generation()).isNotZero();
            assertThat(second.nonce()).isNotEqualTo(first.nonce());
        }

        @Test
        void incarnationIsPartOfTheBootBatch() {
            TestTurn turn = new TestTurn();
            Membership membership = new Membership(ProtocolConfig.defaults(), new LocalNode(A, "a:1", "", List.of()));

            membership.boot(turn.disk(), turn);

            assertThat(turn.store().ops()).anySatisfy(op -> assertThat(op.key()).containsExactly(1, 'I'));
            assertThat(turn.sent).isEmpty();
        }

        @Test
        void aDirectoryOfAnotherNodeIsRefused() {
            node.turn.completeStore();
            TestTurn turn = node.turn.nextBoot(HOUR);
            Membership stranger = new Membership(ProtocolConfig.defaults(), new LocalNode(C, "c:1", "", List.of()));

            assertThatThrownBy(() -> stranger.boot(turn.disk(), turn))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("'a'")
                    .hasMessageContaining("'c'");
        }

        /** A number used twice would let frames of an older boot count as new. */
        @Test
        void theLastBootNumberEndsTheStartByName() {
            OwnNode own = new OwnNode(
                    identity(A, Bound.INCARNATION.max(), "a:1", 3),
                    BootKind.PROMPT,
                    Timing.of(ProtocolConfig.defaults()));
            StoredMembership.writeIdentity(own.identity, node.turn.store());
            node.turn.completeStore();

            assertThatThrownBy(() -> node.reboot(HOUR))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is the last there is")
                    .hasMessageContaining("another node id");
        }

        @Test
        void aDamagedRecordIsNamed() {
            node.turn.store().put(new byte[] {1, 'S'}, Slice.of(new byte[] {9}));
            node.turn.completeStore();

            assertThatThrownBy(() -> node.reboot(HOUR))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("'S'")
                    .hasMessageContaining("format 9");
        }
    }

    @Nested
    class KindOfBoot {
        @Test
        void freshThenPromptThenLate() {
            assertThat(node.node.bootKind()).isEqualTo(BootKind.FRESH);
            assertThat(node.reboot(Duration.ofSeconds(10)).node.bootKind()).isEqualTo(BootKind.PROMPT);
            assertThat(node.reboot(Duration.ofSeconds(31)).node.bootKind()).isEqualTo(BootKind.LATE);
            node.advance(Duration.ofMinutes(1));
            assertThat(node.reboot(Duration.ofHours(25)).node.bootKind()).isEqualTo(BootKind.LATE);
        }

        @Test
        void theTimeAliveIsRefreshed() {
            node.advance(Duration.ofHours(2));

            assertThat(node.reboot(Duration.ofSeconds(20)).node.bootKind()).isEqualTo(BootKind.PROMPT);
        }

        @Test
        void aClockThatRanBackwardsCountsAsLate() {
            node.turn.completeStore();

            assertThat(node.reboot(Duration.ofSeconds(-10)).node.bootKind()).isEqualTo(BootKind.LATE);
        }

        @Test
        void lateIsNotForgottenByAQuickSecondRestart() {
            node.reboot(HOUR);
            node.advance(Duration.ofSeconds(10));
            assertThat(node.reboot(Duration.ofSeconds(1)).node.bootKind()).isEqualTo(BootKind.LATE);

            node.advance(Duration.ofSeconds(36));
            assertThat(node.reboot(Duration.ofSeconds(1)).node.bootKind()).isEqualTo(BootKind.LATE);

            node.advance(Duration.ofSeconds(3 * 36));
            assertThat(node.reboot(Duration.ofSeconds(1)).node.bootKind()).isEqualTo(BootKind.PROMPT);
        }
    }

    @Nested
    class Peers {
        @Test
        void areProspectsAfterARestart() {
            node.meet(PEER);
            node.reboot(Duration.ofSeconds(1));

            assertThat(node.state(B)).isEqualTo(PeerState.PROSPECT);
            assertThat(node.peer(B).incarnation()).isEqualTo(1);
            assertThat(node.peer(B).generation()).isEqualTo(PEER.generation());
            assertThat(node.peer(B).site()).isEqualTo("west");
            assertThat(node.turn.targets).containsEntry(B, "b:1");
        }

        @Test
        void whoAreAwayAreWaitedForDuringWhatIsLeft() {
            node.meet(PEER);
            node.goodbye(PEER, 1, HOUR);
            node.reboot(Duration.ofMinutes(20));

            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
            node.advance(Duration.ofMinutes(40));
            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
            node.advance(Duration.ofSeconds(5));
            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
        }

        @Test
        void whoseReturnIsDueGetTheTimeToBeHeard() {
            node.meet(PEER);
            node.goodbye(PEER, 1, HOUR);
            node.reboot(HOUR.plusSeconds(4));

            node.advance(Duration.ofSeconds(29));
            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
            node.advance(Duration.ofSeconds(1));
            assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
        }

        @Test
        void whoseReturnPassedMeanwhileAreProspects() {
            node.meet(PEER);
            node.goodbye(PEER, 1, HOUR);
            node.reboot(HOUR.multipliedBy(2));

            assertThat(node.state(B)).isEqualTo(PeerState.PROSPECT);
            node.frame(MembershipFixture.reborn(PEER));
            assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        }

        @Test
        void whoAreAwayAreWaitedForInFullWhenTheClockRanBackwards() {
            node.meet(PEER);
            node.goodbye(PEER, 1, HOUR);
            node.reboot(HOUR.negated());

            node.advance(HOUR);
            assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
        }

        @Test
        void keepMarksOfOperators() {
            node.list(PEER, drained(entry(identity(C)), 3, true), removed(entry(identity(NodeId.of("d"))), 2, HOUR));
            node.reboot(Duration.ofMinutes(30));

            assertThat(node.peer(C).drained()).isTrue();
            assertThat(node.peer(NodeId.of("d")).removed()).isTrue();
            assertThat(node.state(NodeId.of("d"))).isEqualTo(PeerState.TERMINATED);

            node.reboot(Duration.ofMinutes(31));
            assertThat(node.peer(NodeId.of("d"))).isNull();
        }

        @Test
        void areNotWrittenForEveryFrame() {
            node.meet(PEER);
            node.turn.completeStore();
            for (int i = 0; i < 4; i++) {
                node.advance(Duration.ofSeconds(1));
                node.frame(PEER);
            }

            assertThat(node.turn.store().ops())
                    .noneSatisfy(op -> assertThat(op.key()[1]).isEqualTo((byte) 'P'));
        }
    }

    /** Gap G12. */
    @Nested
    class OlderStore {
        /** What peers say about this node: boot 9 of this store. */
        private PeerEntry later() {
            NodeIdentity own = node.node.self();
            return entry(new NodeIdentity(A, 9, own.generation(), 4711, "a:1", "east"));
        }

        /** HELLO to a Prospect falls due while no frame may leave: that it comes late does not mean that time stood still. */
        @Test
        void waitsForItsDiskAndForgivesNoSilenceMeanwhile() {
            node.link(identity(C));
            node.meet(PEER);
            node.turn.completeStore();
            node.list(PEER, later());
            node.advance(Duration.ofMillis(4500));

            node.turn.completeStore();
            node.settle();
            node.advance(Duration.ofMillis(500));

            assertThat(node.state(B)).isEqualTo(PeerState.SCHRODINGER);
        }

        /** Nobody counts that far: it is told to people, and leaves the number of this boot alone. */
        @Test
        void doesNotFollowANumberThatLeavesNoRoomForBootsToCome() {
            node.meet(PEER);
            node.turn.forget();

            node.list(PEER, entry(identity(A, Bound.INCARNATION.max() / 2 + 1, "a:2", 99)));

            assertThat(node.node.self().incarnation()).isEqualTo(1);
            assertThat(node.turn.events(MembershipEvent.Conflict.class)).hasSize(1);
        }

        @Test
        void takesTheNextIncarnationDurablyBeforeItSpeaks() {
            node.meet(PEER);
            node.turn.completeStore();
            node.turn.forget();

            node.list(PEER, later());

            assertThat(node.node.self().incarnation()).isEqualTo(10);
            assertThat(node.node.bootKind()).isEqualTo(BootKind.STALE);
            assertThat(node.turn.staleStores).isEqualTo(1);
            assertThat(node.turn.isCertainlyStale).isTrue();
            assertThat(node.turn.store().isDurableRequired()).isTrue();
            assertThat(node.node.maySend()).isFalse();
            node.advance(Duration.ofSeconds(3));
            assertThat(node.turn.sent).isEmpty();

            node.turn.completeStore();
            node.settle();
            assertThat(node.node.maySend()).isTrue();
            assertThat(node.turn.reachable).containsExactly(B);
            assertThat(node.told(A).incarnation()).isEqualTo(10);
            assertThat(node.node.nextHeader(node.peer(B), node.turn.now()).incarnation())
                    .isEqualTo(10);
        }

        @Test
        void isReportedOnceItIsDurable() {
            node.list(PEER, later());
            assertThat(node.turn.events(MembershipEvent.StaleStore.class)).isEmpty();

            node.turn.completeStore();
            assertThat(node.turn.events(MembershipEvent.StaleStore.class))
                    .containsExactly(new MembershipEvent.StaleStore(10, BootKind.STALE));
        }

        @Test
        void twoProcessesDoNotDriveEachOtherUp() {
            for (int i = 0; i < 8; i++) {
                node.list(PEER, above());
                node.turn.completeStore();
            }
            assertThat(node.node.self().incarnation()).isEqualTo(17);
            assertThat(node.turn.events(MembershipEvent.Conflict.class)).isEmpty();

            PeerEntry above = above();
            node.list(PEER, above);
            node.list(PEER, above);
            assertThat(node.node.self().incarnation()).isEqualTo(17);
            assertThat(node.turn.events(MembershipEvent.Conflict.class))
                    .singleElement()
                    .satisfies(conflict ->
                            assertThat(conflict.detail()).contains("18").contains("a:1"));

            node.advance(Duration.ofSeconds(30));
            node.list(PEER, above);
            assertThat(node.node.self().incarnation()).isEqualTo(19);
        }

        /** What a second living process says: one number above ours. */
        private PeerEntry above() {
            return entry(new NodeIdentity(A, node.node.self().incarnation() + 1, 1, 4712, "a:1", "east"));
        }

        @Test
        void twoSidesOfAPartitionMayKnowTwoDeadBoots() {
            node.list(PEER, later());
            node.turn.completeStore();
            node.list(PEER, entry(new NodeIdentity(A, 10, 1, 4712, "a:1", "east")));

            assertThat(node.node.self().incarnation()).isEqualTo(11);
            assertThat(node.turn.events(MembershipEvent.Conflict.class)).isEmpty();
        }

        @Test
        void isRememberedAcrossAQuickRestart() {
            node.meet(PEER);
            node.list(PEER, later());
            node.reboot(Duration.ofSeconds(1));

            assertThat(node.node.self().incarnation()).isEqualTo(11);
            assertThat(node.node.bootKind()).isEqualTo(BootKind.STALE);
        }

        @Test
        void isAlsoSeenWhenOneNumberWasUsedTwice() {
            NodeIdentity own = node.node.self();
            node.list(PEER, entry(new NodeIdentity(A, 1, own.generation(), own.nonce() + 1, "a:1", "east")));

            assertThat(node.node.self().incarnation()).isEqualTo(2);
            assertThat(node.node.bootKind()).isEqualTo(BootKind.STALE);
        }

        @Test
        void aNewStoreUnderAnOldNameIsFreshButTakesANewIncarnationToo() {
            node.list(PEER, entry(new NodeIdentity(A, 9, 1, 4711, "a:1", "east")));

            assertThat(node.node.self().incarnation()).isEqualTo(10);
            assertThat(node.node.bootKind()).isEqualTo(BootKind.FRESH);
            assertThat(node.turn.staleStores).isEqualTo(1);
        }

        /** What it held may have been adopted: that others remember another store is no reason to forget it. */
        @Test
        void aFullStoreIsNotNewWhateverGenerationOthersRemember() {
            node.reboot(HOUR);
            node.list(PEER, entry(new NodeIdentity(A, 9, 1, 4711, "a:1", "east")));
            assertThat(node.node.bootKind()).isEqualTo(BootKind.STALE);

            assertThat(node.reboot(Duration.ofSeconds(1)).node.bootKind()).isEqualTo(BootKind.STALE);
        }

        @Test
        void ownNewsFromOthersIsNoReasonForDoubt() {
            node.list(PEER, entry(node.node.self()));
            node.list(PEER, entry(new NodeIdentity(A, 0, 0, 0, "", "")));

            assertThat(node.node.self().incarnation()).isEqualTo(1);
            assertThat(node.turn.staleStores).isZero();
        }
    }
}
