package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The papers' throughput over wide area networks: it is clients and round trips that limit it, one for the copy, one for the end. */
class ThroughputTest {
    private static final int PERCENT = 15;

    @ParameterizedTest(name = "{0} nodes, {1} clients each, {2} ms: predicted {3}, reported {4}")
    @CsvSource({
        "3, 100, 174, 862, 793",
        "7, 100, 108, 3241, 3449",
        "3, 1000, 105, 14286, 13253",
        "7, 1000, 138, 25362, 24085"
    })
    void closedLoopsReachTheThroughputOfThePapers(
            int nodes, int clients, long rttMillis, double predicted, double reported) {
        long rtt = rttMillis * World.MILLIS;

        double measured = new ClosedLoop(nodes, clients, rtt).run(4 * rtt, 8 * rtt);

        assertThat(measured).isCloseTo(predicted, withinPercentage(PERCENT));
        assertThat(measured).isCloseTo(reported, withinPercentage(PERCENT));
    }
}
