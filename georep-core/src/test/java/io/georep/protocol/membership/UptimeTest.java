package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.T_S;
import static io.georep.protocol.membership.MembershipFixture.T_X;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is rare happens to a node that has been up for hours, on a monotonic clock that starts anywhere. */
class UptimeTest {
    private static final NodeIdentity PEER = identity(B);
    private static final Duration AWAY = Duration.ofMinutes(1);
    private static final Duration HOURS = Duration.ofHours(3);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final MembershipFixture node = hardened();

    @BeforeEach
    void boot() {
        node.boot();
    }

    /** A stored entry names a node that was learnt hours ago: its own time is over at once, that of others is not. */
    @Test
    void aDeadlineIsNeverSetIntoThePast() {
        node.meet(PEER);
        node.list(PEER, entry(identity(C)));
        node.advanceHearing(HOURS, PEER);
        node.goodbye(PEER, 1, AWAY);

        node.node.ensure(C, null, node.turn);
        long deadlineNanos = node.node.nextDeadlineNanos();
        node.settle();

        assertThat(deadlineNanos).isEqualTo(node.turn.now());
        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);
        node.advance(AWAY.plus(T_S).minus(MOMENT));
        assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
        node.advance(MOMENT);
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
    }

    /** It may have come back meanwhile, and what it said waits unread; that takes no longer than for any peer. */
    @Test
    void aReturnThatFellIntoAPauseIsAwaitedForOneFailoverTime() {
        node.meet(PEER);
        node.goodbye(PEER, 1, AWAY);

        node.turn.advance(HOURS);
        node.settle();

        node.advance(T_S.plus(T_X).minus(MOMENT));
        assertThat(node.state(B)).isEqualTo(PeerState.ARNOLD);
        node.advance(MOMENT);
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void aPauseDoesNotMoveAReturnThatIsFarAhead() {
        node.meet(PEER);
        node.goodbye(PEER, 1, HOURS);

        node.turn.advance(HOURS.dividedBy(2));
        node.settle();

        node.advance(HOURS.dividedBy(2).plus(T_S));
        assertThat(node.state(B)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void listsAreRepairedWheneverTheClockBegan() {
        node.meet(PEER);
        for (int i = 0; i < PeerList.WHOLE_MAX; i++) {
            node.list(PEER, entry(identity(NodeId.of("n" + i))));
        }
        int comparisons = 20;
        node.turn.forget();
        for (int i = 0; i < comparisons; i++) {
            node.advanceHearing(T_S, PEER);
            node.message(PEER, MembershipMessages.HEARTBEAT, MembershipMessages.heartbeat(i));
        }

        assertThat(node.turn.sent(B, MembershipMessages.DIGESTS)).hasSize(comparisons);
    }
}
