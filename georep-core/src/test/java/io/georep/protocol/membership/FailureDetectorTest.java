package io.georep.protocol.membership;

import static io.georep.model.PeerState.ACTIVE;
import static io.georep.model.PeerState.ARNOLD;
import static io.georep.model.PeerState.PROSPECT;
import static io.georep.model.PeerState.SCHRODINGER;
import static io.georep.model.PeerState.TERMINATED;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureDetectorTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Timing TIMING = Timing.of(ProtocolConfig.defaults());

    @ParameterizedTest
    @CsvSource({
        "ACTIVE, 0, ACTIVE",
        "ACTIVE, 4999, ACTIVE",
        "ACTIVE, 5000, SCHRODINGER",
        "ACTIVE, 90000, SCHRODINGER",
        "SCHRODINGER, 5000, SCHRODINGER",
        "SCHRODINGER, 29999, SCHRODINGER",
        "SCHRODINGER, 30000, TERMINATED",
        "TERMINATED, 90000, TERMINATED",
        "PROSPECT, 90000, PROSPECT",
        "ARNOLD, 90000, ARNOLD"
    })
    void silenceMovesAPeerOneStepOn(PeerState state, long silentMillis, PeerState expected) {
        PeerState after = FailureDetector.afterSilence(state, silentMillis * 1_000_000, TIMING);

        assertThat(after).isEqualTo(expected);
    }

    @Test
    void deadlineIsTheFirstMomentAtWhichSilenceCounts() {
        long heardNanos = -17 * SECOND;
        for (PeerState state : List.of(ACTIVE, SCHRODINGER)) {
            long deadlineNanos = FailureDetector.silenceDeadline(state, heardNanos, TIMING);

            assertThat(FailureDetector.afterSilence(state, deadlineNanos - heardNanos - 1, TIMING))
                    .isEqualTo(state);
            assertThat(FailureDetector.afterSilence(state, deadlineNanos - heardNanos, TIMING))
                    .isNotEqualTo(state);
        }
        for (PeerState state : List.of(PROSPECT, TERMINATED, ARNOLD)) {
            assertThat(FailureDetector.silenceDeadline(state, heardNanos, TIMING))
                    .isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void heartbeatsNeverStopWhateverTheState() {
        assertThat(FailureDetector.heartbeatPause(ACTIVE, TIMING)).isEqualTo(SECOND);
        assertThat(FailureDetector.heartbeatPause(SCHRODINGER, TIMING)).isEqualTo(SECOND);
        assertThat(FailureDetector.heartbeatPause(TERMINATED, TIMING)).isEqualTo(5 * SECOND);
        assertThat(FailureDetector.heartbeatPause(ARNOLD, TIMING)).isEqualTo(5 * SECOND);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "2, 2", "3, 4", "4, 8", "5, 16", "6, 30", "7, 30", "1000000, 30"})
    void helloBacksOffFromOneToThirtySeconds(int attempt, long seconds) {
        assertThat(FailureDetector.helloPause(attempt)).isEqualTo(seconds * SECOND);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 0", "1001, 1001", "60000, 60000"})
    void lateWakingIsCreditedToThePeers(long lateMillis, long creditMillis) {
        long credit = FailureDetector.pauseCredit(5, 5 + lateMillis * 1_000_000, TIMING);

        assertThat(credit).isEqualTo(creditMillis * 1_000_000);
    }
}
