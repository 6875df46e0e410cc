package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures of the paper: 100 Mbit/s uplinks, writes only, star with all members as heads against chain replication. */
class FiguresTest {
    private static final long MILLIS = 1_000_000;
    private static final long UPLINK = 12_500_000;
    private static final List<Integer> DELAYS = List.of(10, 20, 40, 60, 80, 160);

    private static double latencyRatio(int members, int kilobytes, int delayMillis) {
        return latency(FigureModel.Way.CHAIN, members, kilobytes, delayMillis)
                / latency(FigureModel.Way.STAR, members, kilobytes, delayMillis);
    }

    private static double latency(FigureModel.Way way, int members, int kilobytes, int delayMillis) {
        return new FigureModel(way, members, kilobytes << 10, delayMillis * MILLIS, UPLINK).latencyMillis();
    }

    private static double throughput(FigureModel.Way way, int members, int bytes, double congestion) {
        return new FigureModel(way, members, bytes, MILLIS / 10, UPLINK)
                .congested(1, congestion)
                .writesPerSecond(30, 1);
    }

    @ParameterizedTest
    @CsvSource({"5, 2.40", "7, 3.43"})
    void smallWritesOverLongLinksHaveTheRatioOfTheFormula(int members, double ratio) {
        assertThat(latencyRatio(members, 1, 160)).isCloseTo(ratio, within(0.02));
    }

    @Test
    void theStarIsFasterAtEveryDelayUpTo128Kilobytes() {
        for (int delay : DELAYS) {
            for (int kilobytes : List.of(1, 16, 64, 128)) {
                assertThat(latencyRatio(7, kilobytes, delay))
                        .as(kilobytes + " KB at " + delay + " ms")
                        .isGreaterThan(1);
            }
        }
    }

    @Test
    void theChainIsFasterForLargeValuesOverShortLinks() {
        assertThat(latencyRatio(7, 1024, 60)).isLessThan(1);
        assertThat(latencyRatio(7, 1024, 80)).isGreaterThan(1);
    }

    @Test
    void aCongestedMemberSlowsTheChainDownAndHardlyTheStar() {
        double chain = throughput(FigureModel.Way.CHAIN, 6, 1 << 10, 0);
        double star = throughput(FigureModel.Way.STAR, 6, 1 << 10, 0);
        assertThat(star).isGreaterThan(0.85 * chain);

        for (double congestion : List.of(0.2, 0.5, 0.8, 0.95)) {
            double slowChain = throughput(FigureModel.Way.CHAIN, 6, 1 << 10, congestion);
            double slowStar = throughput(FigureModel.Way.STAR, 6, 1 << 10, congestion);
            assertThat(slowStar).isGreaterThan(slowChain).isGreaterThan(0.75 * star);
            assertThat(slowChain / chain).isCloseTo(1 - congestion, within(0.02));
        }
        assertThat(throughput(FigureModel.Way.STAR, 6, 1 << 10, 0.95))
                .isGreaterThan(16 * throughput(FigureModel.Way.CHAIN, 6, 1 << 10, 0.95));
    }

    @Test
    void tinyValuesCostTheStarItsReports() {
        assertThat(throughput(FigureModel.Way.STAR, 6, 32, 0))
                .isLessThan(0.85 * throughput(FigureModel.Way.CHAIN, 6, 32, 0));
    }

    /** Prints the tables of docs/how-it-works/benchmarks.md. */
    public static void main(String[] arguments) {
        for (int members : List.of(5, 7)) {
            System.out.println("N = " + members + ", ratio of latencies, chain to star");
            for (int kilobytes : List.of(1, 16, 64, 128, 256, 512, 1024)) {
                StringBuilder line = new StringBuilder("| " + kilobytes + " KB |");
                for (int delay : DELAYS) {
                    line.append(String.format(" %.2f |", latencyRatio(members, kilobytes, delay)));
                }
                System.out.println(line);
            }
        }
        for (int members : List.of(3, 6)) {
            for (int bytes : List.of(32, 1 << 10)) {
                System.out.println("N = " + members + ", " + bytes + " bytes, writes per second, chain / star");
                for (double congestion : List.of(0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)) {
                    System.out.printf(
                            "| %.0f %% | %.0f | %.0f |%n",
                            100 * congestion,
                            throughput(FigureModel.Way.CHAIN, members, bytes, congestion),
                            throughput(FigureModel.Way.STAR, members, bytes, congestion));
                }
            }
        }
    }
}
