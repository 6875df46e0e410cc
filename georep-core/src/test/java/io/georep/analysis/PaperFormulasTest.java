package io.georep.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The paper's equations (2) to (8), checked against sets that are really enumerated; misprints shown as such. */
class PaperFormulasTest {

    @Test
    void equationsHoldForEnumeratedSets() {
        for (int n = 2; n <= 10; n++) {
            assertThat(NodeSets.total(n)).isEqualTo(1 << n);
            assertThat(NodeSets.majority(n)).isEqualTo(enumerate(n, n / 2 + 1));
            for (int f = 0; f <= n; f++) {
                assertThat(NodeSets.usable(n, f)).as("n %d, f %d", n, f).isEqualTo(enumerate(n, f + 1));
            }
            assertThat(NodeSets.usable(n, 1)).as("equation 3").isEqualTo((1 << n) - (n + 1));
        }
    }

    @Test
    void equationEightAsPrintedCountsOneSizeTooMany() {
        for (int n = 2; n <= 10; n++) {
            for (int f = 1; f <= 3 && f < n; f++) {
                BigInteger printed = NodeSets.usable(n, f - 1);

                assertThat(printed).isNotEqualTo(BigInteger.valueOf(enumerate(n, f + 1)));
            }
        }
        assertThat(NodeSets.usable(5, 0)).as("printed form, n = 5, f = 1").isEqualTo(31);
        assertThat(NodeSets.usable(5, 1)).isEqualTo(26);
    }

    @Test
    void equationFiveAsPrintedSubtractsTwiceTooMuch() {
        for (int n = 2; n <= 10; n += 2) {
            int halves = enumerate(n, n / 2) - enumerate(n, n / 2 + 1);

            assertThat(NodeSets.majority(n)).isEqualTo((1 << (n - 1)) - halves / 2);
            assertThat(NodeSets.majority(n)).isNotEqualTo(BigInteger.valueOf((1 << (n - 1)) - halves));
        }
    }

    @Test
    void twiceTheMajorityIsABoundForOddNumbersOfNodesOnly() {
        for (int n = 2; n <= 200; n++) {
            int twice = NodeSets.usable(n, 1).compareTo(NodeSets.majority(n).multiply(BigInteger.TWO));

            assertThat(twice > 0).as("n %d", n).isEqualTo(n % 2 == 0 && n >= 4);
            assertThat(NodeSets.ratio(n, 1)).isLessThanOrEqualTo(NodeSets.ratio(8, 1));
        }
        assertThat(NodeSets.ratio(8, 1)).isCloseTo(2.656, offset(0.0005));
        assertThat(NodeSets.ratio(9_998, 1)).isBetween(2.0, 2.02);
    }

    @Test
    void moreSetsThanAMajorityOnlyBelowHalfOfTheNodes() {
        for (int n = 2; n <= 30; n++) {
            for (int f = 1; f < n; f++) {
                int expected = Integer.compare(n / 2, f);

                assertThat(NodeSets.usable(n, f).compareTo(NodeSets.majority(n)))
                        .isEqualTo(expected);
            }
        }
        assertThat(NodeSets.usable(3, 2)).isEqualTo(1);
        assertThat(NodeSets.majority(3)).isEqualTo(4);
    }

    @Test
    void aShareOfSetsIsAProbabilityOnlyIfNodesAreUpHalfOfTheTime() {
        double share = NodeSets.usable(5, 1).doubleValue() / NodeSets.total(5).doubleValue();

        assertThat(Yield.geoRep(5, 1, 0.5)).isCloseTo(share, offset(1e-15));
        assertThat(Yield.geoRep(5, 1, 0.9)).isGreaterThan(share + 0.1);
    }

    @Test
    void setsTooSmallArePolynomialInTheNumberOfNodes() {
        for (int f = 0; f <= 3; f++) {
            List<BigInteger> differences = new ArrayList<>();
            for (int n = f + 1; n <= 30; n++) {
                differences.add(NodeSets.total(n).subtract(NodeSets.usable(n, f)));
            }
            for (int order = 0; order < f; order++) {
                differences = differences(differences);
            }

            assertThat(differences).as("difference of order f = %d", f).allMatch(BigInteger.ONE::equals);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1.1e-8, 1.1e-4, 9.1e-4",
        "1, 1.1e-16, 1.3e-8, 8.3e-7",
        "2, 1.2e-24, 1.5e-12, 7.6e-10",
        "3, 1.2e-32, 1.7e-16, 6.9e-13"
    })
    void lossOfEntriesThatWait(int f, String second, String threeHours, String day) {
        assertThat(loss(f, Duration.ofSeconds(1))).isEqualTo(second);
        assertThat(loss(f, Duration.ofHours(3))).isEqualTo(threeHours);
        assertThat(loss(f, Duration.ofDays(1))).isEqualTo(day);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1.1e-16, 1.3e-8",
        "3, 1.2e-24, 1.5e-12",
        "4, 1.2e-32, 1.7e-16",
        "5, 1.3e-40, 1.9e-20",
        "6, 1.4e-48, 2.2e-24",
        "7, 1.5e-56, 2.5e-28",
        "8, 1.6e-64, 2.9e-32",
        "9, 1.6e-72, 3.3e-36",
        "10, 1.7e-80, 3.8e-40"
    })
    void lossWithACopyOnEveryNode(int n, String second, String threeHours) {
        Duration mtbf = Duration.ofDays(3 * 365);

        assertThat(AvailabilityTablesTest.twoDigits(Harvest.fullReplicationLoss(n, mtbf, Duration.ofSeconds(1))))
                .isEqualTo(second);
        assertThat(AvailabilityTablesTest.twoDigits(Harvest.fullReplicationLoss(n, mtbf, Duration.ofHours(3))))
                .isEqualTo(threeHours);
    }

    @Test
    void nodeDiesWithinOneSecondOfThreeYears() {
        Duration mtbf = Duration.ofDays(3 * 365);

        assertThat(Harvest.nodeLoss(mtbf, Duration.ofSeconds(1))).isCloseTo(1.06e-8, offset(0.005e-8));
        assertThat(Harvest.nodeLoss(mtbf, Duration.ofHours(3))).isCloseTo(1.14e-4, offset(0.005e-4));
        assertThat(Harvest.nodeLoss(mtbf, Duration.ZERO)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "3, 100, 174, 862, 793",
        "7, 100, 108, 3241, 3449",
        "3, 1000, 105, 14286, 13253",
        "7, 1000, 138, 25362, 24085"
    })
    void closedLoopEstimateMeetsTheReportedThroughput(int n, int clients, int rttMillis, int estimate, int reported) {
        // One round trip for the copies of an entry, one for the delete.
        double entriesPerSecond = n * clients / (2 * rttMillis / 1000.0);

        assertThat(Math.round(entriesPerSecond)).isEqualTo(estimate);
        assertThat(reported / entriesPerSecond).isBetween(0.90, 1.10);
    }

    @Test
    void bestReportedFigureIsBelowTheReportedShareOfOneNode() {
        assertThat(7 * 5661).isEqualTo(39_627).isGreaterThan(28_377);
        assertThat(24_085 / 7).isEqualTo(3_440);
        assertThat(24_085 / 243.0).isBetween(98.0, 100.0);
    }

    /** Counts the sets of nodes with at least so many members, one by one. */
    private static int enumerate(int n, int membersMin) {
        int count = 0;
        for (int set = 0; set < 1 << n; set++) {
            count += Integer.bitCount(set) >= membersMin ? 1 : 0;
        }
        return count;
    }

    private static List<BigInteger> differences(List<BigInteger> values) {
        List<BigInteger> differences = new ArrayList<>();
        for (int i = 1; i < values.size(); i++) {
            differences.add(values.get(i).subtract(values.get(i - 1)));
        }
        return differences;
    }

    private static String loss(int f, Duration dwell) {
        return AvailabilityTablesTest.twoDigits(Harvest.loss(f, Duration.ofDays(3 * 365), dwell));
    }
}
