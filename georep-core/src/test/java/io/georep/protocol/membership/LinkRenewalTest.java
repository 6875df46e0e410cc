package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Links whose path is dead: TCP may take a quarter of an hour to notice, and where it can be told to, it also ends paused ones. */
class LinkRenewalTest {
    private static final NodeIdentity PEER = identity(B);
    private static final Duration FAILOVER = MembershipFixture.T_S.plus(MembershipFixture.T_X);

    private final MembershipFixture node = hardened().boot();

    @Test
    void aLinkOverWhichNothingIsConfirmedIsRenewedAlthoughThePeerIsHeard() {
        node.meet(PEER);
        node.advanceHearing(FAILOVER.minusSeconds(1), PEER);
        assertThat(node.turn.renewed).isEmpty();

        node.advanceHearing(Duration.ofSeconds(2), PEER);
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.turn.renewed).containsExactly(B);

        node.advanceHearing(FAILOVER, PEER);
        assertThat(node.turn.renewed).as("not at every turn").containsExactly(B, B);
    }

    /** A peer that reads nothing any more, its window closed, is alive all the same. */
    @Test
    void theLinksToOthersStay() {
        NodeIdentity other = identity(C);
        node.meet(PEER);
        node.meet(other);
        for (int second = 0; second < 50; second++) {
            node.advance(Duration.ofSeconds(1));
            node.frame(PEER);
            node.frame(other, 1 + second, 10_000, true);
        }

        assertThat(node.turn.renewed).containsExactly(B);
        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
    }

    @Test
    void aLinkOverWhichFramesAreConfirmedStays() {
        node.meet(PEER);
        for (int second = 0; second < 120; second++) {
            node.advance(Duration.ofSeconds(1));
            node.frame(PEER, 1 + second, 10_000, true);
        }

        assertThat(node.turn.renewed).isEmpty();
    }

    @Test
    void theTimeBeginsAnewWithTheLink() {
        node.meet(PEER);
        node.advanceHearing(FAILOVER.minusSeconds(2), PEER);
        node.unlink(B);
        node.link(PEER);

        node.advanceHearing(FAILOVER.minusSeconds(1), PEER);
        assertThat(node.turn.renewed).isEmpty();
    }

    /** What confirms its frames waits unread: the paths are as good as they were. */
    @Test
    void aNodeThatStoodStillOrDidNotReadRenewsNoLink() {
        node.meet(PEER);
        node.turn.advance(FAILOVER.multipliedBy(2));
        node.settle();
        assertThat(node.turn.renewed).isEmpty();

        node.node.reading(false, node.turn);
        node.advance(FAILOVER.multipliedBy(2));
        node.node.reading(true, node.turn);
        node.settle();
        assertThat(node.turn.renewed).isEmpty();

        node.advanceHearing(FAILOVER.plusSeconds(1), PEER);
        assertThat(node.turn.renewed).containsExactly(B);
    }

    @Test
    void aPeerThatIsAwayHasNothingToConfirm() {
        node.meet(PEER);
        node.goodbye(PEER, 1, Duration.ofHours(1));

        node.advance(Duration.ofMinutes(10));
        assertThat(node.turn.renewed).isEmpty();
    }
}
