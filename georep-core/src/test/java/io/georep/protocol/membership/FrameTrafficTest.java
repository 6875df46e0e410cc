package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import org.junit.jupiter.api.Test;

class FrameTrafficTest {
    private static final long MILLI = 1_000_000L;
    private static final long START = -5_000 * MILLI;

    private final FrameTraffic traffic = new FrameTraffic();

    private static FrameHeader header(long number, long echo, long echoAgeMillis, boolean hears) {
        return new FrameHeader(1, number, echo, echoAgeMillis * 1000, hears, true, 30_000);
    }

    @Test
    void numbersFramesFromOneAndEchoesTheLastArrivedWithItsAge() {
        FrameHeader first = traffic.next(3, false, true, 30_000, null, START);
        traffic.arrived(header(41, 0, 0, false), START + 10 * MILLI);
        FrameHeader second = traffic.next(3, true, true, 30_000, null, START + 12 * MILLI);

        assertThat(first).isEqualTo(new FrameHeader(3, 1, 0, 0, false, true, 30_000));
        assertThat(second).isEqualTo(new FrameHeader(3, 2, 41, 2000, true, true, 30_000));
    }

    @Test
    void roundTripIsTheTimeSinceSendingLessTheAgeOfTheEcho() {
        traffic.next(1, true, true, 30_000, null, START);

        traffic.arrived(header(1, 1, 400, true), START + 520 * MILLI);

        assertThat(traffic.rttMinNanos()).isEqualTo(120 * MILLI);
        assertThat(traffic.rttSmoothedNanos()).isEqualTo(120 * MILLI);
    }

    @Test
    void keepsTheMinimumAndSmoothsTheRest() {
        traffic.next(1, true, true, 30_000, null, START);
        traffic.arrived(header(1, 1, 0, true), START + 100 * MILLI);
        traffic.next(1, true, true, 30_000, null, START + 200 * MILLI);
        traffic.arrived(header(2, 2, 0, true), START + 380 * MILLI);

        assertThat(traffic.rttMinNanos()).isEqualTo(100 * MILLI);
        assertThat(traffic.rttSmoothedNanos()).isEqualTo(110 * MILLI);
    }

    /** A frame that was overtaken says what its sender knew when it was put together. */
    @Test
    void anOvertakenFrameTakesNothingBack() {
        traffic.next(1, true, true, 30_000, null, START);
        traffic.arrived(header(2, 1, 0, true), START + 100 * MILLI);

        traffic.arrived(header(1, 0, 0, false), START + 200 * MILLI);
        assertThat(traffic.heardByPeer(START + 200 * MILLI, 1_000 * MILLI)).isTrue();

        traffic.arrived(header(3, 1, 100, false), START + 300 * MILLI);
        assertThat(traffic.heardByPeer(START + 300 * MILLI, 1_000 * MILLI)).isFalse();
    }

    @Test
    void ignoresEchoesOfFramesNeverSent() {
        traffic.next(1, true, true, 30_000, null, START);

        traffic.arrived(header(1, 2, 0, true), START + MILLI);

        assertThat(traffic.rttMinNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(traffic.heardByPeer(START + MILLI, 1000 * MILLI)).isFalse();
    }

    @Test
    void ignoresAgesLongerThanTheTimeSinceSending() {
        traffic.next(1, true, true, 30_000, null, START);

        traffic.arrived(header(1, 1, 50, true), START + 10 * MILLI);

        assertThat(traffic.rttMinNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** This node was started anew, and is not heard: the peer still echoes the frame of that number of the boot before. */
    @Test
    void anEchoOfAnEarlierBootConfirmsNothing() {
        ClusterWord word = new ClusterWord(1, ClusterWord.Standing.SETTLED, 0);
        for (int i = 0; i < 4; i++) {
            traffic.next(1, true, true, 30_000, word, START + i * 1000 * MILLI);
        }
        long now = START + 3500 * MILLI;

        traffic.arrived(header(1, 3, 6000, true), now);

        assertThat(traffic.heardSentNanos())
                .as("a lease would be counted from it")
                .isEqualTo(Long.MIN_VALUE);
        assertThat(traffic.next(1, true, true, 30_000, word, now).cluster()).isEqualTo(word);
    }

    @Test
    void ignoresRoundTripsOfFramesTooOldToBeRemembered() {
        for (int i = 0; i <= FrameTraffic.REMEMBERED; i++) {
            traffic.next(1, true, true, 30_000, null, START + i * MILLI);
        }

        traffic.arrived(header(1, 1, 0, true), START + 5000 * MILLI);
        assertThat(traffic.rttMinNanos()).isEqualTo(Long.MAX_VALUE);

        traffic.arrived(header(2, 2, 0, true), START + 5000 * MILLI);
        assertThat(traffic.rttMinNanos()).isEqualTo(4999 * MILLI);
    }

    /** In a cluster of a thousand the times of sending took 8 MB in each node. */
    @Test
    void aLinkWithHeartbeatsOnlyTakesLittleMemory() {
        for (int i = 1; i <= 3000; i++) {
            traffic.next(1, true, true, 30_000, null, START + i * MILLI);
            if (i > 8) {
                traffic.arrived(header(i, i - 8, 0, true), START + i * MILLI);
            }
        }
        assertThat(traffic.heapBytes()).isEqualTo(8 * FrameTraffic.REMEMBERED_AT_FIRST);
        assertThat(traffic.rttMinNanos()).isEqualTo(8 * MILLI);
    }

    @Test
    void allFramesUnderWayAreRememberedHoweverTheirNumberGrew() {
        for (int i = 1; i <= 500; i++) {
            traffic.next(1, true, true, 30_000, null, START + i * MILLI);
        }
        for (int i = 1; i <= 500; i++) {
            long rtt = (1000 - i) * MILLI;
            traffic.arrived(header(i, i, 0, true), START + 1000 * MILLI);
            assertThat(traffic.rttMinNanos()).isEqualTo(rtt);
            assertThat(traffic.heardSentNanos()).isEqualTo(START + i * MILLI);
        }
    }

    @Test
    void evidenceOfBeingHeardAgesWithTheEcho() {
        traffic.next(1, true, true, 30_000, null, START);
        traffic.arrived(header(1, 1, 3000, true), START + 3000 * MILLI);

        assertThat(traffic.heardByPeer(START + 3000 * MILLI, 5000 * MILLI)).isTrue();
        assertThat(traffic.heardByPeer(START + 5000 * MILLI, 5000 * MILLI)).isTrue();
        assertThat(traffic.heardByPeer(START + 5001 * MILLI, 5000 * MILLI)).isFalse();
    }

    @Test
    void aPeerThatSaysItDoesNotHearIsBelieved() {
        traffic.next(1, true, true, 30_000, null, START);
        traffic.arrived(header(1, 1, 0, true), START);
        traffic.arrived(header(2, 1, 0, false), START);

        assertThat(traffic.heardByPeer(START, 5000 * MILLI)).isFalse();
    }

    @Test
    void aRestartOfThePeerVoidsWhatWasMeasured() {
        traffic.next(1, true, true, 30_000, null, START);
        traffic.arrived(header(9, 1, 0, true), START + MILLI);

        traffic.peerRestarted();

        assertThat(traffic.rttMinNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(traffic.rttSmoothedNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(traffic.heardByPeer(START + MILLI, 1000 * MILLI)).isFalse();
        assertThat(traffic.next(1, true, true, 30_000, null, START + 2 * MILLI).echoNumber())
                .isZero();
    }

    @Test
    void theNewestFrameSaysWhetherCopiesAreTaken() {
        assertThat(traffic.takesCopies()).isTrue();
        traffic.arrived(new FrameHeader(1, 7, 0, 0, true, false, 30_000), START);
        assertThat(traffic.takesCopies()).isFalse();

        traffic.arrived(new FrameHeader(1, 6, 0, 0, true, true, 30_000), START);
        assertThat(traffic.takesCopies()).as("an older frame was overtaken").isFalse();

        traffic.arrived(new FrameHeader(1, 8, 0, 0, true, true, 30_000), START);
        assertThat(traffic.takesCopies()).isTrue();
        traffic.arrived(new FrameHeader(1, 9, 0, 0, true, false, 30_000), START);
        traffic.peerRestarted();
        assertThat(traffic.takesCopies()).as("another boot").isTrue();
        traffic.arrived(new FrameHeader(2, 1, 0, 0, true, false, 30_000), START);
        assertThat(traffic.takesCopies()).isFalse();
    }

    @Test
    void headersKeepWhatTheySayOnTheWire() {
        for (boolean hears : new boolean[] {true, false}) {
            for (boolean takes : new boolean[] {true, false}) {
                FrameHeader header = new FrameHeader(3, 2, 1, 5, hears, takes, 30_000);
                BinWriter out = new BinWriter(64);
                header.write(out);

                assertThat(FrameHeader.read(new BinReader(out.toSlice()))).isEqualTo(header);
            }
        }
    }

    @Test
    void knowsHowLongThePeerWaitsFromItsNewestFrame() {
        assertThat(traffic.failoverNanos()).isZero();

        traffic.arrived(new FrameHeader(1, 2, 0, 0, true, true, 20_000), START);
        traffic.arrived(new FrameHeader(1, 1, 0, 0, true, true, 40_000), START);

        assertThat(traffic.failoverNanos()).isEqualTo(20_000 * MILLI);
    }

    @Test
    void aPeerThatSaysItWaitsForEverDoesNotOverflow() {
        traffic.arrived(new FrameHeader(1, 1, 0, 0, true, true, Bound.MILLIS.max()), START);

        assertThat(traffic.failoverNanos()).isEqualTo(Timing.AWAY_MAX.toNanos());
    }

    @Test
    void theWordAboutTheClusterTravelsUntilThePeerConfirmsIt() {
        ClusterWord word = new ClusterWord(7, ClusterWord.Standing.FORMING, 1);
        assertThat(traffic.next(1, true, true, 0, word, START).cluster()).isEqualTo(word);
        assertThat(traffic.next(1, true, true, 0, word, START).cluster()).isEqualTo(word);
        traffic.arrived(header(1, 1, 0, true), START);
        assertThat(traffic.next(1, true, true, 0, word, START).cluster()).isNull();

        ClusterWord settled = new ClusterWord(7, ClusterWord.Standing.SETTLED, 0);
        assertThat(traffic.next(1, true, true, 0, settled, START).cluster()).isEqualTo(settled);
        traffic.arrived(header(2, 3, 0, true), START);
        assertThat(traffic.next(1, true, true, 0, settled, START).cluster())
                .as("an earlier frame was confirmed")
                .isEqualTo(settled);
        traffic.arrived(header(3, 4, 0, true), START);
        assertThat(traffic.next(1, true, true, 0, settled, START).cluster()).isNull();

        traffic.sayClusterAgain();
        assertThat(traffic.next(1, true, true, 0, settled, START).cluster())
                .as("another process may be at the other end")
                .isEqualTo(settled);
    }
}
