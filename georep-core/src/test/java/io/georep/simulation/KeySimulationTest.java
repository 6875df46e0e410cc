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
    private static final int FRESH = 6;
    private static final int SOAK = 2000;

    /** Seeds that once failed, and some that have much of everything. */
    @ParameterizedTest
    @ValueSource(longs = {15, 36, 71, 142, 289, 1138})
    void fixedSeeds(long seed) {
        KeySimulation.run(seed);
    }

    @Test
    void freshSeeds() {
        long first = new SecureRandom().nextLong() >>> 1;
        for (long seed = first; seed < first + FRESH; seed++) {
            KeySimulation.run(seed);
        }
    }

    @Test
    void oneSeedGivesOneTrace() {
        assertThat(KeySimulation.run(4)).isEqualTo(KeySimulation.run(4));
    }

    @Test
    @Tag("soak")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void manySeeds() {
        long first = new SecureRandom().nextLong() >>> 1;
        for (long seed = first; seed < first + SOAK; seed++) {
            KeySimulation.run(seed);
        }
    }
}
