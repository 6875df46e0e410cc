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

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.ClusterWord.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a peer that may not decide over others (M33) can make a node believe. B is limited, C is a peer like others. */
class LimitedPeerTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final NodeIdentity LIMITED = identity(B).withLimited(true);
    private static final NodeIdentity OTHER = identity(C);

    private final MembershipFixture node = hardened().boot();

    @BeforeEach
    void meet() {
        node.meet(LIMITED);
        node.turn.forget();
    }

    private long ignored() {
        return node.node.decisionsIgnored();
    }

    private List<MembershipEvent.DecisionIgnored> reports() {
        return node.turn.events(MembershipEvent.DecisionIgnored.class);
    }

    private PeerEntry own() {
        return entry(node.node.self());
    }

    @Test
    void removesNobody() {
        node.meet(OTHER);

        node.list(LIMITED, removed(entry(OTHER), 2, DAY));

        assertThat(node.peer(C).removed()).isFalse();
        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.frame(OTHER)).isTrue();
        assertThat(ignored()).isEqualTo(1);
        assertThat(reports())
                .containsExactly(new MembershipEvent.DecisionIgnored(B, "b:1", "it says that 'c' was removed"));
    }

    @Test
    void whatItIsNotBelievedIsBelievedWhoMayDecide() {
        NodeIdentity full = identity(NodeId.of("d"));
        node.meet(OTHER);
        node.meet(full);
        node.list(LIMITED, removed(entry(OTHER), 2, DAY));

        node.list(full, removed(entry(OTHER), 2, DAY));

        assertThat(node.peer(C).removed()).isTrue();
    }

    /** The right is that of the connection a frame came over, not of the name. */
    @Test
    void isBelievedOnceItComesWithTheRight() {
        node.meet(OTHER);

        node.list(LIMITED.withLimited(false), removed(entry(OTHER), 2, DAY));

        assertThat(node.peer(C).removed()).isTrue();
        assertThat(ignored()).isZero();
    }

    @Test
    void drainsNobodyAndEndsNoDrain() {
        node.meet(OTHER);
        node.list(LIMITED, drained(entry(OTHER), 1, true));
        assertThat(node.peer(C).drained()).isFalse();
        assertThat(ignored()).isEqualTo(1);

        node.list(OTHER, drained(entry(OTHER), 1, true));
        assertThat(node.peer(C).drained()).isTrue();
        node.list(LIMITED, drained(entry(OTHER), 2, false));

        assertThat(node.peer(C).drained()).isTrue();
        assertThat(ignored()).isEqualTo(2);
    }

    @Test
    void neitherRemovesNorDrainsThisNode() {
        node.list(LIMITED, removed(own(), 5, DAY));
        node.list(LIMITED, drained(own(), 5, true));

        assertThat(node.node.leaving()).isFalse();
        assertThat(node.node.selfDrained()).isFalse();
        assertThat(ignored()).isEqualTo(2);
    }

    @Test
    void maySayAnythingAboutItself() {
        node.list(LIMITED, drained(entry(LIMITED), 1, true));

        assertThat(node.peer(B).drained()).isTrue();
        assertThat(ignored()).isZero();
    }

    /** Either would keep a living node out as well as a removal. */
    @Test
    void sendsNobodyAwayAndMakesNobodyOld() {
        node.meet(OTHER);

        node.list(LIMITED, entry(OTHER, 1, DAY));
        node.list(LIMITED, entry(identity(C, 1L << 50, "c:1", 99)));

        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.frame(OTHER)).isTrue();
        assertThat(ignored()).as("nobody decided that").isZero();
    }

    @Test
    void introducesANodeByItsNameAndPlaceAlone() {
        node.list(LIMITED, drained(entry(identity(C, 1L << 50, "c:1", 99), 1, DAY), 1, true));

        assertThat(node.state(C)).isEqualTo(PeerState.PROSPECT);
        assertThat(node.turn.targets).containsEntry(C, "c:1");
        assertThat(node.peer(C).drained()).isFalse();
        assertThat(node.frame(OTHER)).isTrue();
        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
    }

    private static NodeId invented(int i) {
        return NodeId.of("invented-" + i);
    }

    private void invent(int from, int to) {
        node.list(
                LIMITED,
                IntStream.range(from, to)
                        .mapToObj(i -> entry(identity(invented(i))))
                        .toArray(PeerEntry[]::new));
    }

    /** Whoever has its key may invent thousands: they must cost this node, its disk, its log and other nodes nothing. */
    @Test
    void introducesOnlySoManyAndWhomNobodyMetIsNeitherToldNorStoredNorReported() {
        node.turn.targets.clear();
        for (int i = 0; i < 3000; i += 300) {
            invent(i, i + 300);
        }

        assertThat(node.node.all()).extracting(Peer::id).containsExactly(B);
        assertThat(node.node.strangers()).hasSize(PeerList.INTRODUCED_MAX);
        assertThat(node.turn.targets).hasSizeLessThanOrEqualTo(PeerList.INTRODUCED_MAX + 1);
        assertThat(node.turn.events(MembershipEvent.StateChanged.class)).isEmpty();

        node.meet(OTHER);
        node.message(OTHER, MembershipMessages.HELLO, MembershipMessages.hello(1));
        assertThat(MembershipMessages.entries(new BinReader(node.turn
                        .sent(C, MembershipMessages.WELCOME)
                        .get(node.turn.sent(C, MembershipMessages.WELCOME).size() - 1)
                        .body())))
                .extracting(PeerEntry::id)
                .containsExactly(A, B, C);
        node.reboot(Duration.ofSeconds(1));
        assertThat(node.node.all()).extracting(Peer::id).containsExactly(B, C);
    }

    /** Names that lead nowhere make room again, and who takes it first does not keep a newcomer away from this node. */
    @Test
    void namesThatLeadNowhereAreForgottenAndKeepNobodyOut() {
        invent(0, 100);
        NodeId late = NodeId.of("late");

        assertThat(node.frame(identity(late))).as("it comes by itself").isTrue();
        assertThat(node.state(late)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.node.strangers()).hasSize(PeerList.INTRODUCED_MAX);

        node.advanceHearing(Duration.ofMinutes(2), LIMITED);
        assertThat(node.node.strangers()).isEmpty();
        node.list(LIMITED, entry(OTHER));
        assertThat(node.turn.targets).containsEntry(C, "c:1");
    }

    /** Each of them has room of its own: what one of them invents costs the others nothing. */
    @Test
    void doesNotUseUpTheRoomOfAnother() {
        invent(0, 100);
        NodeIdentity other = identity(NodeId.of("d")).withLimited(true);
        node.meet(other);

        node.list(other, entry(OTHER));

        assertThat(node.turn.targets).containsEntry(C, "c:1");
        assertThat(node.frame(OTHER)).isTrue();
        assertThat(node.node.find(C)).isNotNull();
    }

    private List<Peer> named(NodeId teller, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> node.node.ensure(invented(i), teller, node.turn))
                .filter(Objects::nonNull)
                .map(Peer.class::cast)
                .toList();
    }

    /** The owners of a copy are names as well, and these are told and stored (p1). */
    @Test
    void namesOnlySoManyOwnersWhomNobodyMet() {
        node.meet(OTHER);

        assertThat(named(B, 0, 100)).hasSize(PeerList.INTRODUCED_MAX);
        assertThat(named(B, 0, 100)).as("those again").hasSize(PeerList.INTRODUCED_MAX);
        assertThat(node.node.ensure(C, B, node.turn)).isNotNull();
        assertThat(named(C, 100, 150)).as("of a peer that may decide").hasSize(50);
        assertThat(node.node.ensure(invented(200), null, node.turn))
                .as("of this node")
                .isNotNull();

        assertThat(node.frame(identity(invented(3)))).isTrue();
        assertThat(named(B, 300, 400)).as("one was met").hasSize(1);
    }

    @Test
    void hasOneRoomForOwnersAndForNodesThatItIntroduces() {
        invent(0, 20);
        assertThat(named(B, 0, 100)).hasSize(PeerList.INTRODUCED_MAX);
        invent(100, 200);

        assertThat(node.node.strangers()).isEmpty();
        assertThat(node.node.all()).hasSize(1 + PeerList.INTRODUCED_MAX);
    }

    @Test
    void introducesNobodyWhoWasRemoved() {
        node.list(LIMITED, removed(entry(OTHER), 2, DAY));

        assertThat(node.peer(C)).isNull();
        assertThat(ignored()).isEqualTo(1);
    }

    /** It may be the only one that met a later boot of this node. But each time costs a hold-back. */
    @Test
    void tellsThisNodeOfLaterBootsOnlySoOften() {
        long before = node.node.self().incarnation();
        node.list(LIMITED, entry(identity(A, before + 1_000_001, "a:1", 99)));
        assertThat(node.node.self().incarnation()).as("a leap").isEqualTo(before);
        assertThat(ignored()).isEqualTo(1);

        for (int i = 1; i <= 20; i++) {
            node.advance(Duration.ofMinutes(5));
            node.list(LIMITED, entry(identity(A, node.node.self().incarnation() + 1, "a:1", 99)));
            node.turn.completeStore();
        }

        assertThat(node.node.self().incarnation()).isEqualTo(before + 8 * 2);
        assertThat(ignored()).isEqualTo(1 + 12);
    }

    /** It may be right, and then a keeper of views must not vote with what it has forgotten. */
    @Test
    void makesThisStoreCountAsOlder() {
        node.list(LIMITED, entry(identity(A, node.node.self().incarnation() + 1, "a:1", 99)));

        assertThat(node.turn.staleStores).isEqualTo(1);
        assertThat(node.turn.isCertainlyStale).isFalse();
    }

    @Test
    void isReportedOnceAMinuteAndCountedEachTime() {
        node.meet(OTHER);
        for (int i = 0; i < 100; i++) {
            node.list(LIMITED, removed(entry(OTHER), 2, DAY));
        }
        assertThat(reports()).hasSize(1);
        assertThat(ignored()).isEqualTo(100);

        node.advanceHearing(Duration.ofMinutes(1), LIMITED);
        node.list(LIMITED, removed(entry(OTHER), 2, DAY));

        assertThat(reports()).hasSize(2);
    }

    private boolean says(NodeIdentity from, long number, long cluster) {
        ClusterWord word = new ClusterWord(cluster, Standing.SETTLED, 0);
        boolean taken = node.node.frameArrived(
                        from, new FrameHeader(from.incarnation(), number, 0, 0, false, true, 30_000, word), node.turn)
                != null;
        node.settle();
        return taken;
    }

    @Test
    void takesNobodyToAnotherCluster() {
        String own = node.node.cluster().id();
        assertThat(says(LIMITED, 100, Long.parseUnsignedLong(own, 16))).isTrue();
        assertThat(node.node.cluster().settled()).isTrue();

        assertThat(says(LIMITED, 101, 12345)).isFalse();

        assertThat(node.node.cluster().id()).isEqualTo(own);
        assertThat(node.turn.events(MembershipEvent.Foreign.class)).hasSize(1);
    }

    @Test
    void followsWhoMayTakeThisNodeToAnotherCluster() {
        assertThat(says(OTHER, 100, Long.parseUnsignedLong(node.node.cluster().id(), 16)))
                .isTrue();

        assertThat(says(OTHER, 101, 12345)).isTrue();
        assertThat(says(LIMITED, 102, 12345)).isTrue();

        assertThat(node.node.cluster().id()).isEqualTo(ClusterWord.text(12345));
    }

    @Test
    void thisNodeSpreadsNoDecisionsIfItIsLimitedItself() {
        node.node.limited();
        node.meet(OTHER);
        NodeIdentity gone = identity(NodeId.of("d"));
        node.list(OTHER, removed(entry(gone), 2, DAY), drained(entry(reborn(OTHER)), 3, true));
        node.turn.forget();

        node.message(LIMITED, MembershipMessages.HELLO, MembershipMessages.hello(1));

        assertThat(node.told(C).drainVersion()).isZero();
        assertThat(node.told(C).drained()).isFalse();
        assertThat(node.turn.sent(B, MembershipMessages.WELCOME)).hasSize(1);
        assertThat(MembershipMessages.entries(new BinReader(
                        node.turn.sent(B, MembershipMessages.WELCOME).get(0).body())))
                .extracting(PeerEntry::id)
                .containsExactly(A, B, C);
    }

    /** It could not remind that boot of the order, and would be the only one that knows it. */
    @Test
    void ifItIsLimitedItForgetsAnOrderThatALaterBootOfThePeerDoesNotKnow() {
        node.node.limited();
        node.meet(OTHER);
        NodeIdentity full = identity(NodeId.of("d"));
        node.meet(full);
        node.list(full, drained(entry(OTHER), 3, true));
        node.list(OTHER, entry(OTHER));
        assertThat(node.peer(C).drained()).as("the same boot").isTrue();

        NodeIdentity emptied = reborn(OTHER);
        node.meet(emptied);
        node.list(emptied, entry(emptied));
        assertThat(node.peer(C).drained()).isFalse();

        node.list(full, drained(entry(emptied), 3, true));
        node.list(emptied, entry(emptied));
        assertThat(node.peer(C).drained())
                .as("whoever may decide says it again")
                .isTrue();
    }
}
