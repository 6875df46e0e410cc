package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Channels;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.membership.MembershipEvent.ClockOff;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Peers tell each other what their wall clocks show, and operators hear of a difference. */
class PeerClockTest {
    private static final NodeIdentity PEER =
            identity(B).withChannels(Channels.of(Map.of(MembershipProtocol.CHANNEL, MembershipProtocol.ID.version())));
    private static final Duration PERIOD = MembershipFixture.T_S.plus(MembershipFixture.T_X);

    private static final long UNKNOWN = Long.MIN_VALUE;

    private final MembershipFixture node = hardened();

    @BeforeEach
    void boot() {
        node.boot();
    }

    /** The peer says what its clock shows, which is ahead by this, and time passes until it may say so again. */
    private void clock(Duration ahead) {
        word(PEER, ahead);
        node.advanceHearing(PERIOD.dividedBy(2), PEER);
    }

    private void word(NodeIdentity from, Duration ahead) {
        node.message(
                from, MembershipMessages.CLOCK, MembershipMessages.clock(node.turn.wallMillis() + ahead.toMillis()));
    }

    private long ahead() {
        return node.peer(B).clockAheadMillis(node.turn.now());
    }

    private int told() {
        return node.turn.sent(B, MembershipMessages.CLOCK).size();
    }

    @Test
    void aPeerIsToldWhenItIsMetAndThenOncePerPeriod() {
        node.meet(PEER);
        assertThat(told()).isEqualTo(1);
        assertThat(node.turn.sent(B, MembershipMessages.CLOCK).get(0).body())
                .isEqualTo(MembershipMessages.clock(node.turn.wallMillis()));

        node.advanceHearing(PERIOD.multipliedBy(10), PEER);
        assertThat(told()).isEqualTo(11);

        node.unlink(B);
        node.advanceHearing(PERIOD, PEER);
        assertThat(told()).isEqualTo(11);
        node.link(PEER);
        assertThat(told()).isEqualTo(12);
    }

    /** Whatever else is sent: on a busy link no heartbeat is due. */
    @Test
    void aPeerIsToldOverABusyLinkToo() {
        node.meet(PEER);
        for (int i = 0; i < 300; i++) {
            node.advanceHearing(Duration.ofSeconds(1), PEER);
            node.node.nextHeader(node.peer(B), node.turn.now());
        }

        assertThat(told()).isEqualTo(11);
    }

    @Test
    void aPeerOfAnOlderReleaseIsNotTold() {
        node.meet(identity(B).withChannels(Channels.of(Map.of(MembershipProtocol.CHANNEL, 1))));
        node.advanceHearing(PERIOD.multipliedBy(2), PEER);

        assertThat(told()).isZero();
        assertThat(ahead()).isEqualTo(UNKNOWN);
    }

    @Test
    void aDifferenceThatStaysIsToldOnceAndSoIsItsEnd() {
        node.meet(PEER);
        clock(Duration.ofSeconds(75));
        assertThat(node.turn.events(ClockOff.class)).as("the first word").isEmpty();

        for (int i = 0; i < 5; i++) {
            clock(Duration.ofSeconds(75));
        }
        clock(Duration.ofSeconds(45));

        assertThat(node.turn.events(ClockOff.class)).containsExactly(new ClockOff(B, true, 75_000));
        assertThat(ahead()).isEqualTo(45_000);
        assertThat(node.peer(B).clockOff()).isTrue();

        clock(Duration.ofSeconds(-1));
        assertThat(node.peer(B).clockOff()).isFalse();
        clock(Duration.ofSeconds(59));
        assertThat(node.turn.events(ClockOff.class))
                .containsExactly(new ClockOff(B, true, 75_000), new ClockOff(B, false, -1_000));

        clock(Duration.ofHours(-2));
        clock(Duration.ofHours(-2));
        assertThat(node.turn.events(ClockOff.class)).last().isEqualTo(new ClockOff(B, true, -7_200_000));
    }

    /** After a suspension a node reads what was said before it. */
    @Test
    void aDifferenceThatIsGoneAtTheNextWordDoesNotCount() {
        node.meet(PEER);
        for (int i = 0; i < 5; i++) {
            clock(Duration.ofHours(-1));
            assertThat(ahead()).isNotEqualTo(-3_600_000);
            clock(Duration.ZERO);
        }

        assertThat(node.turn.events(ClockOff.class)).isEmpty();
    }

    /** As when a node reads all that came while its store hung. */
    @Test
    void wordsThatArriveTogetherAreOneLook() {
        node.meet(PEER);
        for (int i = 0; i < 1000; i++) {
            word(PEER, i % 3 == 2 ? Duration.ZERO : Duration.ofSeconds(-90));
        }
        node.advanceHearing(PERIOD.dividedBy(2).minusSeconds(1), PEER);
        word(PEER, Duration.ofSeconds(-90));
        assertThat(node.turn.events(ClockOff.class)).isEmpty();
        assertThat(ahead()).isEqualTo(UNKNOWN);

        node.advanceHearing(Duration.ofSeconds(1), PEER);
        word(PEER, Duration.ofSeconds(-90));
        assertThat(node.turn.events(ClockOff.class)).containsExactly(new ClockOff(B, true, -90_000));
    }

    @Test
    void aWordIsTrueForThreePeriodsAndWhileThePeerIsLinked() {
        node.meet(PEER);
        word(PEER, Duration.ofSeconds(20));
        node.advanceHearing(PERIOD.multipliedBy(3), PEER);
        assertThat(ahead()).isEqualTo(20_000);
        node.advanceHearing(Duration.ofSeconds(1), PEER);
        assertThat(ahead()).as("it says no more").isEqualTo(UNKNOWN);

        word(PEER, Duration.ofSeconds(20));
        node.unlink(B);
        assertThat(ahead()).as("without a link").isEqualTo(UNKNOWN);
        node.link(PEER);
        assertThat(ahead()).isEqualTo(20_000);
        node.command(new MembershipCommand.Remove(B));
        assertThat(ahead()).as("removed").isEqualTo(UNKNOWN);
    }

    @Test
    void aPeerThatIsSilentHasNoClock() {
        node.meet(PEER);
        word(PEER, Duration.ofSeconds(20));
        node.advance(PERIOD.plusSeconds(1));
        assertThat(node.peer(B).inTouch()).isFalse();
        assertThat(ahead()).isEqualTo(UNKNOWN);
    }

    /** Whether with a right clock, or with a release that does not tell. */
    @Test
    void whatAProcessSaidIsPastWhenThePeerIsRestarted() {
        node.meet(PEER);
        clock(Duration.ofSeconds(75));
        word(PEER, Duration.ofSeconds(75));
        assertThat(ahead()).isEqualTo(75_000);

        NodeIdentity reborn = MembershipFixture.reborn(PEER);
        node.unlink(B);
        node.meet(reborn);
        assertThat(ahead()).isEqualTo(UNKNOWN);

        word(reborn, Duration.ofSeconds(76));
        assertThat(ahead()).isEqualTo(76_000);
        assertThat(node.turn.events(ClockOff.class)).as("told once").hasSize(1);
        node.advanceHearing(PERIOD.dividedBy(2), reborn);
        word(reborn, Duration.ZERO);
        assertThat(node.turn.events(ClockOff.class)).last().isEqualTo(new ClockOff(B, false, 0));
    }

    @Test
    void whatNoClockShowsIsMalformed() {
        Slice none = new BinWriter(9).varint(1L << 44).toSlice();
        node.meet(PEER);

        assertThatThrownBy(() -> node.message(PEER, MembershipMessages.CLOCK, none))
                .isInstanceOf(MalformedException.class);
        assertThat(MembershipMessages.clock(-1)).isEqualTo(MembershipMessages.clock(0));
    }
}
