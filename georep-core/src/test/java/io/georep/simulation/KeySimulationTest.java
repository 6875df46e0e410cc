package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicated key spaces in all kinds of trouble, by seeds; see {@link KeyJudge} for what must be true. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class KeySimulationTest {
    private static final int FRESH_RUNS = 12;

    /** Seeds that showed a mistake once, and one that reads and writes much. */
    @ParameterizedTest
    @ValueSource(longs = {15, 36, 41, 71, 132, 142, 289, 1138, 5147, 5373, 9163})
    void fixedSeedsKeepAllPromises(long seed) {
        KeySimulation.run(seed);
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        long first = SimulationTest.sourceHash() * 1000;
        for (long seed = first; seed < first + FRESH_RUNS; seed++) {
            KeySimulation.run(seed);
        }
    }

    @Test
    void oneSeedGivesOneTrace() {
        assertThat(KeySimulation.run(4)).isEqualTo(KeySimulation.run(4));
    }

    @Test
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void manySeedsKeepAllPromises() {
        long first = new SecureRandom().nextLong() >>> 1;
        for (long seed = first; seed < first + 2000; seed++) {
            KeySimulation.run(seed);
        }
    }
}
