package io.georep.tally;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.simulation.WingSimulation;
import io.georep.simulation.WingSimulation.Beside;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A wing in a package of its own, in the simulator: uses nothing but what is public there. */
class TallySimulationTest {
    private static final int RUNS = 40;

    private static String run(long seed, boolean isHasty) {
        return WingSimulation.run(seed, Beside.NOBODY, machines -> new TallyWing(machines, false, isHasty));
    }

    @ParameterizedTest
    @EnumSource(names = {"NOBODY", "OUTBOX"})
    void keepsItsPromises(Beside beside) {
        assertThat(WingSimulation.run(3, beside, machines -> new TallyWing(machines, true)))
                .contains(" counted");
    }

    @Test
    void anErrorIsNoticed() {
        assertThat(LongStream.range(0, RUNS)
                        .filter(TallySimulationTest::isNoticed)
                        .findFirst())
                .as("the seed of a run in which something that was told is gone")
                .isPresent();
    }

    private static boolean isNoticed(long seed) {
        run(seed, false);
        try {
            run(seed, true);
            return false;
        } catch (AssertionError e) {
            return e.getMessage().contains("counted to");
        }
    }
}
