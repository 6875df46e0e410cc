package io.georep.reports.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.simulation.WingSimulation;
import io.georep.simulation.WingSimulation.Beside;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** People look at the nodes of a cluster while all that can befall it does. */
class ReportSimulationTest {
    private static final int RUNS = 20;

    private static String run(long seed, Beside beside, boolean mixesThemUp) {
        return WingSimulation.run(seed, beside, machines -> new ReportWing(machines, mixesThemUp));
    }

    @Test
    void everybodyIsSeenAsItToldLast() {
        LongStream.range(0, RUNS)
                .forEach(seed -> assertThat(run(seed, Beside.NOBODY, false)).containsPattern("[1-9]\\d* looks"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void alsoBesideAnOutboxInAllItsTrouble(long seed) {
        assertThat(run(seed, Beside.OUTBOX, false)).containsPattern("[1-9]\\d* looks");
    }

    @Test
    void reportsThatAreMixedUpAreNoticed() {
        assertThat(LongStream.range(0, RUNS)
                        .filter(ReportSimulationTest::isNoticed)
                        .findFirst())
                .isPresent();
    }

    private static boolean isNoticed(long seed) {
        try {
            run(seed, Beside.NOBODY, true);
            return false;
        } catch (AssertionError e) {
            return e.getMessage().contains("was told");
        }
    }
}
