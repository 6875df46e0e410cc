package io.georep.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Availability in numbers: every value as it is printed, to the printed digits. */
class AvailabilityTablesTest {

    @ParameterizedTest
    @CsvSource({
        "2, 4, 1, 0, 0, 1",
        "3, 8, 4, 1, 0, 4",
        "4, 16, 11, 5, 1, 5",
        "5, 32, 26, 16, 6, 16",
        "6, 64, 57, 42, 22, 22",
        "7, 128, 120, 99, 64, 64",
        "8, 256, 247, 219, 163, 93",
        "9, 512, 502, 466, 382, 256",
        "10, 1024, 1013, 968, 848, 386"
    })
    void countsNodeSets(int n, int total, int f1, int f2, int f3, int majority) {
        assertThat(NodeSets.total(n)).isEqualTo(total);
        assertThat(NodeSets.usable(n, 1)).isEqualTo(f1);
        assertThat(NodeSets.usable(n, 2)).isEqualTo(f2);
        assertThat(NodeSets.usable(n, 3)).isEqualTo(f3);
        assertThat(NodeSets.majority(n)).isEqualTo(majority);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1.00, 0.00, 0.00",
        "3, 1.00, 0.25, 0.00",
        "4, 2.20, 1.00, 0.20",
        "5, 1.63, 1.00, 0.38",
        "6, 2.59, 1.91, 1.00",
        "7, 1.88, 1.55, 1.00",
        "8, 2.66, 2.35, 1.75",
        "9, 1.96, 1.82, 1.49",
        "10, 2.62, 2.51, 2.20"
    })
    void comparesWithMajority(int n, String f1, String f2, String f3) {
        assertThat(twoDecimals(NodeSets.ratio(n, 1))).isEqualTo(f1);
        assertThat(twoDecimals(NodeSets.ratio(n, 2))).isEqualTo(f2);
        assertThat(twoDecimals(NodeSets.ratio(n, 3))).isEqualTo(f3);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1.9e-1, 1, 1, 1.9e-1",
        "3, 2.8e-2, 2.7e-1, 1, 2.8e-2",
        "4, 3.7e-3, 5.2e-2, 3.4e-1, 5.2e-2",
        "5, 4.6e-4, 8.6e-3, 8.1e-2, 8.6e-3",
        "6, 5.5e-5, 1.3e-3, 1.6e-2, 1.6e-2",
        "7, 6.4e-6, 1.8e-4, 2.7e-3, 2.7e-3",
        "8, 7.3e-7, 2.3e-5, 4.3e-4, 5.0e-3",
        "9, 8.2e-8, 3.0e-6, 6.4e-5, 8.9e-4",
        "10, 9.1e-9, 3.7e-7, 9.1e-6, 1.6e-3"
    })
    void unavailabilityOfNodesThatAreUpNineTimesInTen(int n, String f1, String f2, String f3, String majority) {
        assertUnavailability(n, 0.9, f1, f2, f3, majority);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 2.0e-2, 1, 1, 2.0e-2",
        "3, 3.0e-4, 3.0e-2, 1, 3.0e-4",
        "4, 4.0e-6, 5.9e-4, 3.9e-2, 5.9e-4",
        "5, 5.0e-8, 9.9e-6, 9.8e-4, 9.9e-6",
        "6, 6.0e-10, 1.5e-7, 2.0e-5, 2.0e-5",
        "7, 6.9e-12, 2.1e-9, 3.4e-7, 3.4e-7",
        "8, 7.9e-14, 2.8e-11, 5.5e-9, 6.8e-7",
        "9, 8.9e-16, 3.5e-13, 8.2e-11, 1.2e-8",
        "10, 9.9e-18, 4.4e-15, 1.2e-12, 2.4e-8"
    })
    void unavailabilityOfNodesThatAreUpNinetyNineTimesInAHundred(
            int n, String f1, String f2, String f3, String majority) {
        assertUnavailability(n, 0.99, f1, f2, f3, majority);
    }

    @Test
    void yieldAndUnavailabilityAddUpToOne() {
        for (int n = 1; n <= 40; n++) {
            for (int f = 0; f < n; f++) {
                for (double p : new double[] {0, 0.01, 0.5, 0.9, 0.99, 1}) {
                    assertThat(Yield.geoRep(n, f, p) + Yield.geoRepUnavailability(n, f, p))
                            .as("n %d, f %d, p %s", n, f, p)
                            .isCloseTo(1, offset(1e-12));
                }
            }
            assertThat(Yield.majority(n, 0.9) + Yield.majorityUnavailability(n, 0.9))
                    .isCloseTo(1, offset(1e-12));
        }
    }

    @Test
    void largeClustersNeitherOverflowNorUnderflow() {
        assertThat(Yield.geoRep(10_000, 1, 0.5)).isCloseTo(1, offset(1e-9));
        assertThat(Yield.majority(9_999, 0.5)).isCloseTo(0.5, offset(1e-9));
        assertThat(NodeSets.ratio(10_000, 1)).isGreaterThan(2).isLessThan(2.1);
    }

    private static void assertUnavailability(int n, double p, String f1, String f2, String f3, String majority) {
        assertThat(twoDigits(Yield.geoRepUnavailability(n, 1, p))).isEqualTo(f1);
        assertThat(twoDigits(Yield.geoRepUnavailability(n, 2, p))).isEqualTo(f2);
        assertThat(twoDigits(Yield.geoRepUnavailability(n, 3, p))).isEqualTo(f3);
        assertThat(twoDigits(Yield.majorityUnavailability(n, p))).isEqualTo(majority);
    }

    private static String twoDecimals(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /** Two significant digits, as in 6.0e-10; 1 stays 1. */
    static String twoDigits(double value) {
        if (value == 1) {
            return "1";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(2));
        String[] parts = String.format(Locale.ROOT, "%.1e", rounded).split("e", 2);
        return parts[0] + "e" + Integer.parseInt(parts[1]);
    }
}
