package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicated maps in all kinds of trouble, by seeds; see {@link FunnelJudge} for what must be true. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FunnelSimulationTest {
    private static final int FIXED_RUNS = 500;
    private static final int FRESH_RUNS = 200;
    private static final int VOLATILE_RUNS = 100;
    private static final int FLAWED_RUNS = 400;

    private static String run(SimulationOptions options) {
        return Simulation.run(options).wings();
    }

    @Test
    void fixedSeedsKeepAllPromises() {
        int lost = 0;
        for (long seed = 1; seed <= FIXED_RUNS; seed++) {
            lost += run(Swarm.swarm(Swarm.MAPS + seed)).contains("all stores lost=1") ? 1 : 0;
        }
        assertThat(lost)
                .as("runs that end without a map, because too many stores were lost")
                .isLessThan(FIXED_RUNS / 50);
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        long first = Swarm.MAPS + SimulationTest.sourceHash() * 1000;
        for (long seed = first; seed < first + FRESH_RUNS; seed++) {
            run(Swarm.swarm(seed));
        }
    }

    /**
     * Seeds beyond the fixed ones that failed: the only founder had an empty store when the master forgot all and the other node was
     * stopped, so the master made the first view once more.
     */
    @ParameterizedTest
    @ValueSource(longs = {3_200_000_941_611_117_056L})
    void seedsThatFailedOnceStayMended(long seed) {
        assertThat(run(Swarm.swarm(seed))).isNotEmpty();
    }

    /** With the level MEMORY members report what they have not stored. */
    @Test
    void volatileStoresKeepAllPromisesButToOutliveACrashOfAll() {
        for (long seed = 1; seed <= VOLATILE_RUNS; seed++) {
            run(Swarm.swarm(Swarm.VOLATILE_MAPS + seed));
        }
    }

    /** Also if its options are used again: the turns that a failure tells are of such a run. */
    @Test
    void oneSeedGivesOneTrace() {
        SimulationOptions options = Swarm.swarm(Swarm.MAPS + 4);
        long hash = Simulation.run(options).traceHash();
        assertThat(Simulation.run(options).traceHash()).isEqualTo(hash);
        assertThat(Simulation.run(Swarm.swarm(Swarm.MAPS + 4)).traceHash()).isEqualTo(hash);
    }

    /** A mistake outside the protocol is noticed by some run; those inside are in {@code .ci/mutants/list.txt}. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "HASTY_MASTER"})
    void flawsAreNoticed(FunnelShape.Flaw flaw) {
        String noticed = "";
        for (long seed = 1; seed <= FLAWED_RUNS && noticed.isEmpty(); seed++) {
            try {
                run(Wings.maps(Swarm.MAPS + seed, flaw, false));
            } catch (AssertionError e) {
                noticed = e.getMessage();
            }
        }
        assertThat(noticed).contains("not linearizable");
    }
}
