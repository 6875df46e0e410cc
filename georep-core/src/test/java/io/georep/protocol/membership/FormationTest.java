package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.membership.ClusterWord.Standing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What one node makes of what others say about their clusters (M28 to M32). Node a knows the seed of b. */
class FormationTest {
    private static final NodeIdentity PEER = identity(B);
    private static final NodeIdentity OTHER = identity(C);
    private static final NodeIdentity NAMESAKE = identity(B, 7, "elsewhere:1", 99);
    private static final long FOREIGN = 12345;

    private final MembershipFixture node = hardened().boot();
    private long number = 1000;

    private long own() {
        return Long.parseUnsignedLong(node.node.cluster().id(), 16);
    }

    private boolean settled() {
        return node.node.cluster().settled();
    }

    /** A frame that says something about its sender's cluster. */
    private boolean says(NodeIdentity from, long cluster, Standing standing, long digest) {
        ClusterWord word = new ClusterWord(cluster, standing, digest);
        boolean taken = node.node.frameArrived(
                        from, new FrameHeader(from.incarnation(), number++, 0, 0, false, true, 30_000, word), node.turn)
                != null;
        node.settle();
        return taken;
    }

    private void settleWith(NodeIdentity peer) {
        node.link(peer);
        assertThat(says(peer, own(), Standing.SETTLED, 0)).isTrue();
        assertThat(settled()).isTrue();
    }

    private ClusterWord nextWord(NodeId to) {
        return node.node.nextHeader(node.peer(to), node.turn.now()).cluster();
    }

    @Test
    void theWordOfAPeerWithAnotherListDoesNotCount() {
        node.link(PEER);
        says(PEER, own(), Standing.FORMING, 1);
        assertThat(settled()).isFalse();

        says(PEER, own(), Standing.FORMING, node.node.digest());
        assertThat(settled()).isFalse();
        node.advanceHearing(MembershipFixture.T_S.plus(MembershipFixture.T_X), PEER);

        assertThat(settled()).isTrue();
        assertThat(node.turn.events(MembershipEvent.Settled.class)).hasSize(1);
    }

    /** While it stood still nobody who knows an older cluster could reach it. */
    @Test
    void timeInWhichThisNodeStoodStillIsNotTimeInWhichItCouldBeReached() {
        node.link(PEER);
        says(PEER, own(), Standing.FORMING, node.node.digest());
        node.advance(Duration.ofSeconds(1));

        node.turn.advance(MembershipFixture.T_S.plus(MembershipFixture.T_X));
        node.settle();
        says(PEER, own(), Standing.FORMING, node.node.digest());
        assertThat(settled()).isFalse();

        node.advanceHearing(MembershipFixture.T_S.plus(MembershipFixture.T_X), PEER);
        assertThat(settled()).isTrue();
    }

    @Test
    void aNameThatSaidNothingHoldsItUp() {
        node.link(PEER);
        node.list(PEER, entry(OTHER));
        says(PEER, own(), Standing.FORMING, node.node.digest());
        assertThat(settled()).isFalse();
        assertThat(node.node.cluster().waitsFor()).contains("c");

        node.command(new MembershipCommand.Remove(C));
        says(PEER, own(), Standing.FORMING, node.node.digest());
        node.advanceHearing(MembershipFixture.T_S.plus(MembershipFixture.T_X), PEER);

        assertThat(settled()).isTrue();
    }

    @Test
    void ofTwoFramesTheNewestWordCounts() {
        settleWith(PEER);
        number = 50;
        FrameHeader late =
                new FrameHeader(1, number, 0, 0, false, true, 30_000, new ClusterWord(FOREIGN, Standing.SETTLED, 0));

        assertThat(node.node.frameArrived(PEER, late, node.turn)).isNotNull();

        assertThat(own()).isNotEqualTo(FOREIGN);
    }

    @Test
    void strangersAreNeitherToldNorStored() {
        settleWith(PEER);
        node.turn.forget();

        node.link(OTHER);
        assertThat(says(OTHER, FOREIGN, Standing.SETTLED, 0)).isFalse();
        node.advance(Duration.ofSeconds(3));

        assertThat(node.node.all()).extracting(peer -> peer.id()).containsExactly(B);
        assertThat(node.node.find(C)).isNull();
        assertThat(node.turn.sent(B, MembershipMessages.PEERS)).isEmpty();
        assertThat(node.turn.changes).isEmpty();
        assertThat(node.turn.targets).as("it is to hear why").containsEntry(C, "c:1");
        node.reboot(Duration.ZERO);
        assertThat(node.peer(C)).isNull();
        assertThat(settled()).isTrue();
    }

    @Test
    void aStrangerThatIsGoneIsForgotten() {
        settleWith(PEER);
        node.link(OTHER);
        says(OTHER, FOREIGN, Standing.SETTLED, 0);
        node.unlink(C);

        node.advance(Duration.ofMinutes(2));

        assertThat(node.peer(C)).isNull();
        assertThat(node.turn.targets).doesNotContainKey(C);
    }

    /** Pods that die before their first word must not use up the room for those that live. */
    @Test
    void aStrangerThatNeverSpokeIsForgottenToo() {
        settleWith(PEER);
        node.link(OTHER);
        node.unlink(C);

        node.advance(Duration.ofMinutes(2));

        assertThat(node.peer(C)).isNull();
    }

    /** A seed leads to another cluster, which is large. */
    @Test
    void whoWillBelongHereIsGreetedHoweverManyStrangersThereAre() {
        settleWith(PEER);
        for (int i = 0; i < 100; i++) {
            NodeIdentity foreign = identity(NodeId.of("foreign" + i));
            node.link(foreign);
            says(foreign, FOREIGN, Standing.SETTLED, 0);
        }

        says(OTHER, 4711, Standing.SEEKING, 0);

        assertThat(node.node.strangers()).hasSizeLessThan(40);
        assertThat(node.turn.targets).as("it is told of this cluster").containsEntry(C, "c:1");
    }

    @Test
    void aRemovedNodeTakesNobodyToAnotherCluster() {
        settleWith(PEER);
        long before = own();
        node.command(new MembershipCommand.Remove(B));

        assertThat(says(PEER, FOREIGN, Standing.SETTLED, 0)).isFalse();

        assertThat(own()).isEqualTo(before);
    }

    @Test
    void partsOfFramesOfAForeignProcessAreNoLifeSigns() {
        node.meet(PEER);
        says(PEER, own(), Standing.FORMING, 1);
        settleWith(OTHER);
        assertThat(says(PEER, FOREIGN, Standing.SETTLED, 0)).isFalse();

        for (int second = 0; second < 40; second++) {
            node.advance(Duration.ofSeconds(1));
            node.node.lifeSign(PEER, node.turn);
            node.settle();
        }

        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void whoAnswersUnderAPeersNameDoesNotTakeItsPlaceBeforeItsFirstFrame() {
        settleWith(PEER);
        node.unlink(B);
        node.advance(Duration.ofSeconds(31));

        node.link(NAMESAKE);
        assertThat(node.peer(B).incarnation()).isEqualTo(1);

        says(NAMESAKE, own(), Standing.SETTLED, 0);
        assertThat(node.peer(B).incarnation()).isEqualTo(7);
    }

    @Test
    void aForeignNodeWithAPeersNameIsRefused() {
        settleWith(PEER);

        assertThat(says(NAMESAKE, FOREIGN, Standing.SETTLED, 0)).isFalse();

        assertThat(node.turn.refusals).hasSize(1);
        assertThat(node.turn.refusals.get(0).reason())
                .contains(node.node.cluster().id(), ClusterWord.text(FOREIGN));
        assertThat(node.peer(B).incarnation()).isEqualTo(1);
        assertThat(node.turn.targets).containsEntry(B, "b:1");
    }

    @Test
    void eachNewLinkIsToldTheCluster() {
        settleWith(PEER);
        nextWord(B);
        node.frame(PEER, 3, 0, true);
        assertThat(nextWord(B)).isNull();

        node.unlink(B);
        node.link(PEER);

        assertThat(nextWord(B)).isEqualTo(new ClusterWord(own(), Standing.SETTLED, 0));
    }

    /** Those in touch are still to follow: what they say under the former number counts. */
    @Test
    void anOrderGivenTwiceIsLikeOne() {
        settleWith(PEER);
        long before = own();
        says(OTHER, FOREIGN, Standing.SETTLED, 0);

        node.command(new MembershipCommand.JoinClusterOf(C));
        node.command(new MembershipCommand.JoinClusterOf(C));

        assertThat(own()).isEqualTo(FOREIGN);
        assertThat(says(PEER, before, Standing.SETTLED, 0)).isTrue();
    }

    @Test
    void anOrderAboutWhoIsNotForeignChangesNothing() {
        settleWith(PEER);
        long before = own();

        node.command(new MembershipCommand.JoinClusterOf(B));
        node.command(new MembershipCommand.JoinClusterOf(C));

        assertThat(own()).isEqualTo(before);
    }
}
