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

import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.Peer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What silence and life signs do to a peer, timers included. */
class SilenceTest {
    private static final NodeIdentity PEER = identity(B);

    private final MembershipFixture node = hardened();

    @BeforeEach
    void boot() {
        node.boot();
    }

    @Test
    void suspectsAfterTsAndGivesUpAfterAFurtherTx() {
        node.meet(PEER);

        node.advance(Duration.ofMillis(4999));
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        node.advance(Duration.ofMillis(1));
        assertThat(node.state(B)).isEqualTo(PeerState.SCHRODINGER);
        node.advance(Duration.ofMillis(24_999));
        assertThat(node.state(B)).isEqualTo(PeerState.SCHRODINGER);
        node.advance(Duration.ofMillis(1));
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void aLostLinkAloneChangesNothing() {
        node.meet(PEER);
        node.unlink(B);
        node.advanceHearing(Duration.ofSeconds(60), PEER);

        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.peer(B).selectable(node.turn.now())).isFalse();
    }

    @Test
    void partsOfALargeFrameAreLifeSigns() {
        node.meet(PEER);
        for (int i = 0; i < 10; i++) {
            node.advance(Duration.ofSeconds(4));
            node.node.lifeSign(PEER, node.turn);
            node.settle();
        }

        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
    }

    @Test
    void partsOfFramesOfAnotherProcessAreNot() {
        node.meet(PEER);
        node.advance(Duration.ofSeconds(6));

        node.node.lifeSign(reborn(PEER), node.turn);
        node.node.lifeSign(identity(C), node.turn);

        assertThat(node.state(B)).isEqualTo(PeerState.SCHRODINGER);
        assertThat(node.peer(C)).isNull();
    }

    @Test
    void aNodeThatStoodStillDoesNotBlameItsPeers() {
        node.meet(PEER);
        node.advance(Duration.ofSeconds(2));

        node.turn.advance(Duration.ofSeconds(60));
        node.settle();
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);

        node.advance(Duration.ofSeconds(35));
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
    }

    /** The first message it handles afterwards may name an owner, which sets a deadline of its own. */
    @Test
    void aNodeThatStoodStillDoesNotBlameItsPeersWhateverItHandlesFirst() {
        node.meet(PEER);
        node.advance(Duration.ofSeconds(2));

        node.turn.advance(Duration.ofSeconds(60));
        node.node.ensure(C, null, node.turn);
        node.settle();
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
    }

    /** Its store is behind: what peers say waits unread, for as long as that takes. */
    @Test
    void aNodeThatDoesNotReadDoesNotBlameItsPeers() {
        node.meet(PEER);
        node.advance(Duration.ofSeconds(2));
        node.node.reading(false, node.turn);

        node.advance(Duration.ofMinutes(10));
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        node.node.reading(true, node.turn);
        node.settle();

        node.advance(Duration.ofMillis(2999));
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        node.advance(Duration.ofMillis(2));
        assertThat(node.state(B)).as("2 s before, 3 s after").isEqualTo(PeerState.SCHRODINGER);
    }

    @Test
    void standingStillWithoutReadingCountsOnce() {
        node.meet(PEER);
        node.node.reading(false, node.turn);
        node.advance(Duration.ofSeconds(2));
        node.turn.advance(Duration.ofSeconds(20));
        node.settle();
        node.node.reading(true, node.turn);
        node.settle();

        node.advance(Duration.ofMillis(5001));
        assertThat(node.state(B)).isEqualTo(PeerState.SCHRODINGER);
    }

    @Test
    void aProspectThatBlocksAnEntryAgesFromWhenItWasLearnt() {
        node.node.ensure(C, null, node.turn);
        assertThat(node.state(C)).isEqualTo(PeerState.PROSPECT);

        node.advance(Duration.ofMillis(29_999));
        assertThat(node.state(C)).isEqualTo(PeerState.PROSPECT);
        node.advance(Duration.ofMillis(1));
        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void aProspectThatBlocksNothingStays() {
        node.list(PEER, entry(identity(C)));
        node.advance(Duration.ofHours(1));

        assertThat(node.state(C)).isEqualTo(PeerState.PROSPECT);
    }

    @Test
    void aProspectFoundBlockingLateIsGivenUpAtOnce() {
        node.list(PEER, entry(identity(C)));
        node.advance(Duration.ofHours(1));

        node.node.ensure(C, null, node.turn);
        node.settle();

        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void ensureAnswersTheSamePeerAndNeverItself() {
        node.meet(PEER);
        Peer known = node.node.ensure(B, null, node.turn);

        assertThat(known).isSameAs(node.peer(B));
        assertThat(known.state()).isEqualTo(PeerState.ACTIVE);
        assertThatThrownBy(() -> node.node.ensure(A, null, node.turn)).isInstanceOf(IllegalArgumentException.class);
    }
}
