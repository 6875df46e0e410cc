package io.georep.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The failover formula against what it stands for: nodes that send heartbeats, count silent ticks and give peers up,
 * with every matrix and crash set of up to four nodes.
 */
class FailoverByHeartbeatTest {
    private static final int SILENT_TICKS_MAX = 3;

    private enum LifeSign {
        ANY_FRAME,
        ANSWER,
        /** Any frame, but nobody sends to peers it gave up. */
        ANY_FRAME_WHILE_NOT_GIVEN_UP
    }

    @Test
    void formulaAgreesForEveryMatrixOfUpToThreeNodes() {
        for (int n = 2; n <= 3; n++) {
            for (long[] arrives : Matrices.all(n)) {
                for (long crashed = 0; crashed < 1L << n; crashed++) {
                    assertAgreement(arrives, crashed);
                }
            }
        }
    }

    @Test
    void formulaAgreesForEveryMatrixOfFourNodes() {
        for (long[] arrives : Matrices.all(4)) {
            for (long crashed : new long[] {0, 1, 2, 5, 6, 9}) {
                assertAgreement(arrives, crashed);
            }
        }
    }

    @Test
    void formulaAgreesForRandomMatricesOfFiveNodes() {
        SplittableRandom random = new SplittableRandom(1);
        for (int run = 0; run < 5_000; run++) {
            long[] arrives = new long[5];
            for (int i = 0; i < 5; i++) {
                arrives[i] = random.nextLong(1 << 5) & ~(1L << i);
            }
            assertAgreement(arrives, random.nextLong(1 << 5));
        }
    }

    private static void assertAgreement(long[] arrives, long crashed) {
        for (LifeSign lifeSign : LifeSign.values()) {
            long[] hears = Failover.hears(arrives, lifeSign != LifeSign.ANY_FRAME);
            long[] givenUp = runUntilStable(arrives, crashed, lifeSign);
            for (int f = 1; f < arrives.length; f++) {
                long expected = 0;
                for (int k = 1; k <= f; k++) {
                    long earlier = (1L << k) - 1;
                    boolean up = (crashed >>> k & 1) == 0;
                    expected |= up && (givenUp[k] & earlier) == earlier ? 1L << k : 0;
                }
                if (Failover.adopters(Matrices.order(f), hears, crashed, 0) != expected) {
                    assertThat(Failover.adopters(Matrices.order(f), hears, crashed, 0))
                            .as(
                                    "%s, frames arrive %s, crashed %s",
                                    lifeSign, java.util.Arrays.toString(arrives), crashed)
                            .isEqualTo(expected);
                }
            }
        }
    }

    /** Answers for each node whom it has given up once everything has settled. */
    private static long[] runUntilStable(long[] arrives, long crashed, LifeSign lifeSign) {
        int n = arrives.length;
        int[][] silent = new int[n][n];
        long[] givenUp = new long[n];
        for (int tick = 0; tick < 3 * SILENT_TICKS_MAX + 2; tick++) {
            long[] before = givenUp.clone();
            for (int j = 0; j < n; j++) {
                for (int i = 0; i < n; i++) {
                    boolean sent = (crashed >>> i & 1) == 0
                            && (lifeSign != LifeSign.ANY_FRAME_WHILE_NOT_GIVEN_UP || (before[i] >>> j & 1) == 0);
                    boolean asked =
                            lifeSign != LifeSign.ANSWER || ((crashed >>> j & 1) == 0 && (arrives[j] >>> i & 1) != 0);
                    boolean heard = sent && asked && (arrives[i] >>> j & 1) != 0;
                    silent[j][i] = heard ? 0 : silent[j][i] + 1;
                    givenUp[j] = silent[j][i] >= SILENT_TICKS_MAX ? givenUp[j] | 1L << i : givenUp[j] & ~(1L << i);
                }
            }
        }
        return givenUp;
    }
}
