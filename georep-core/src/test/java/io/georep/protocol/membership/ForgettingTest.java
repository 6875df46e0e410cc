package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.FORGET;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.forgottenIn;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names of nodes that are gone: tests, pods, machines of last year. */
class ForgettingTest {
    private static final NodeIdentity PEER = identity(B);
    private static final NodeIdentity OTHER = identity(C);
    private static final Duration T_TOMB = Duration.ofHours(24);

    private final MembershipFixture node = hardened();

    @BeforeEach
    void boot() {
        node.boot();
    }

    @Test
    void aNameNobodyHearsOfIsForgottenInTheEndAlsoByTheStore() {
        node.meet(PEER);
        node.unlink(B);
        node.advance(FORGET.minusMinutes(1));
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
        assertThat(node.turn.targets).containsKey(B);

        node.advance(Duration.ofMinutes(2));
        assertThat(node.peer(B)).isNull();
        assertThat(node.turn.targets).doesNotContainKey(B);

        node.reboot(Duration.ofSeconds(1));
        assertThat(node.peer(B)).isNull();
    }

    @Test
    void aNameNobodyEverHeardOfIsForgottenToo() {
        node.meet(PEER);
        node.list(PEER, entry(OTHER));

        node.advanceHearing(Duration.ofMinutes(1), PEER);
        assertThat(node.state(C)).isEqualTo(PeerState.PROSPECT);
        node.advance(FORGET);
        assertThat(node.peer(C)).isNull();
    }

    @Test
    void whoLeftForGoodIsNotDialledAndForgottenSooner() {
        node.meet(PEER);
        node.goodbye(PEER, 1, Duration.ZERO);
        assertThat(node.turn.targets)
                .as("it is to be told that its word was heard")
                .containsKey(B);

        node.unlink(B);
        assertThat(node.turn.targets).doesNotContainKey(B);
        assertThat(node.turn.forgotten).isEmpty();
        node.advance(T_TOMB.plusSeconds(1));
        assertThat(node.peer(B)).isNull();
        assertThat(node.turn.forgotten).as("hosted protocols are told").containsExactly(B);
    }

    @Test
    void whoLeftForGoodIsNotDialledAfterARestartEither() {
        node.meet(PEER);
        node.meet(OTHER);
        node.goodbye(OTHER, 1, Duration.ZERO);

        node.reboot(Duration.ofSeconds(1));

        assertThat(node.peer(C)).isNotNull();
        assertThat(node.turn.targets).doesNotContainKey(C);
    }

    @Test
    void whoLeftForGoodAndComesBackIsDialledAgain() {
        node.meet(PEER);
        node.goodbye(PEER, 1, Duration.ZERO);
        node.unlink(B);

        node.frame(MembershipFixture.reborn(PEER));

        assertThat(node.state(B)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.turn.targets).containsKey(B);
        node.unlink(B);
        node.advance(T_TOMB.plusSeconds(1));
        assertThat(node.peer(B)).isNotNull();
    }

    @Test
    void thatSomebodyLeftForGoodIsLearntFromOthers() {
        node.meet(PEER);
        node.list(PEER, forgottenIn(entry(OTHER, 1, Duration.ZERO), T_TOMB.minusMinutes(1)));

        assertThat(node.turn.targets).doesNotContainKey(C);
        node.advance(T_TOMB);
        assertThat(node.peer(C)).isNull();
    }

    /** Nodes would remind each other for ever. */
    @Test
    void aNameNearlyForgottenIsNotLearntAgain() {
        node.meet(PEER);
        node.list(PEER, forgottenIn(entry(OTHER), Duration.ofSeconds(30)));
        assertThat(node.peer(C)).isNull();

        node.list(PEER, forgottenIn(entry(OTHER), Duration.ofHours(1)));
        assertThat(node.peer(C)).isNotNull();
        node.advance(Duration.ofHours(1));
        assertThat(node.peer(C)).isNull();
    }

    @Test
    void whoHeardOfItLastKnowsHowLongItIsRemembered() {
        node.meet(PEER);
        node.list(PEER, forgottenIn(entry(OTHER), Duration.ofHours(1)));
        node.list(PEER, forgottenIn(entry(OTHER), Duration.ofHours(3)));
        node.list(PEER, forgottenIn(entry(OTHER), Duration.ofHours(2)));

        node.advance(Duration.ofHours(3).minusSeconds(1));
        assertThat(node.peer(C)).isNotNull();
        node.advance(Duration.ofSeconds(1));
        assertThat(node.peer(C)).isNull();
    }

    @Test
    void whatIsStillOwedIsKeptWithoutTheStateOfItsTraffic() {
        node.meet(PEER);
        node.node.ensure(B, null, node.turn);
        node.turn.needed.add(B);
        assertThat(node.peer(B).traffic.heapBytes()).isPositive();

        node.unlink(B);
        node.advance(FORGET.multipliedBy(2));
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
        assertThat(node.peer(B).traffic.heapBytes()).isZero();

        node.turn.needed.clear();
        node.advance(T_TOMB);
        assertThat(node.peer(B)).isNull();
    }

    /** Under a name learnt anew nobody would know that it was removed. */
    @Test
    void aRemovalIsRememberedForAsLongAsSomethingIsOwed() {
        node.meet(PEER);
        node.node.ensure(B, null, node.turn);
        node.turn.needed.add(B);
        node.command(new MembershipCommand.Remove(B));
        node.unlink(B);

        node.advance(T_TOMB.multipliedBy(2).plusSeconds(1));
        assertThat(node.peer(B).removed()).isTrue();

        node.reboot(T_TOMB.minusMinutes(1));
        assertThat(node.peer(B).removed()).as("also by the store").isTrue();
        node.advance(T_TOMB);
        assertThat(node.peer(B)).isNull();
    }

    @Test
    void theTimeGoesOnWhileThisNodeIsDown() {
        node.meet(PEER);
        node.meet(OTHER);
        node.unlink(B);
        node.unlink(C);
        node.advanceHearing(Duration.ofSeconds(40), OTHER);
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);

        node.reboot(FORGET);
        assertThat(node.peer(B)).as("was given up before").isNull();
        assertThat(node.peer(C)).as("was in touch when this node went down").isNotNull();

        node.reboot(FORGET);
        assertThat(node.peer(C)).as("was not heard in between").isNull();
    }

    /** Each cost 8 KB for the times of frames that were never sent. */
    @Test
    void tenThousandNamesHaveNoTraffic() {
        node.meet(PEER);
        List<PeerEntry> names = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            names.add(entry(identity(NodeId.of("pod-" + i), 1, "10.0.0.1:" + i, i + 1)));
        }
        node.list(PEER, names.toArray(PeerEntry[]::new));

        assertThat(node.node.all()).hasSize(9_001);
        assertThat(node.node.all().stream()
                        .mapToInt(peer -> ((PeerRecord) peer).traffic.heapBytes())
                        .sum())
                .isLessThanOrEqualTo(8 * FrameTraffic.REMEMBERED);
        node.advance(FORGET.plusMinutes(1));
        assertThat(node.node.all()).hasSize(1);
    }
}
