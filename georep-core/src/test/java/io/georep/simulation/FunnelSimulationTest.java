package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replicated maps in all kinds of trouble, by seeds; see {@link FunnelJudge} for what must be true. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FunnelSimulationTest {
    private static final int FIXED_RUNS = 1500;
    private static final int FRESH_RUNS = 100;
    private static final int VOLATILE_RUNS = 200;
    private static final int FLAWED_RUNS = 400;

    @Test
    void fixedSeedsKeepAllPromises() {
        int lost = 0;
        for (long seed = 1; seed <= FIXED_RUNS; seed++) {
            lost += FunnelSimulation.run(seed).contains("all stores lost=1") ? 1 : 0;
        }
        assertThat(lost)
                .as("runs that end without a map, because too many stores were lost")
                .isLessThan(FIXED_RUNS / 50);
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        long first = SimulationTest.sourceHash() * 1000;
        for (long seed = first; seed < first + FRESH_RUNS; seed++) {
            FunnelSimulation.run(seed);
        }
    }

    /** With the level MEMORY members report what they have not stored. */
    @Test
    void volatileStoresKeepAllPromisesButToOutliveACrashOfAll() {
        for (long seed = 1; seed <= VOLATILE_RUNS; seed++) {
            FunnelSimulation.runVolatile(seed);
        }
    }

    @Test
    void oneSeedGivesOneTrace() {
        assertThat(FunnelSimulation.run(4)).isEqualTo(FunnelSimulation.run(4));
    }

    /** A mistake outside the protocol is noticed by some run; those inside are in {@code .ci/mutants/list.txt}. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "HASTY_MASTER"})
    void flawsAreNoticed(FunnelCluster.Flaw flaw) {
        String noticed = "";
        for (long seed = 1; seed <= FLAWED_RUNS && noticed.isEmpty(); seed++) {
            try {
                FunnelSimulation.run(seed, flaw);
            } catch (AssertionError e) {
                noticed = e.getMessage();
            }
        }
        assertThat(noticed).contains("not linearizable");
    }

    @Test
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void manySeedsKeepAllPromises() {
        long first = new SecureRandom().nextLong() >>> 1;
        for (long seed = first; seed < first + 20_000; seed++) {
            FunnelSimulation.run(seed);
        }
    }
}
