package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replicated key spaces in all kinds of trouble, by seeds; see {@link KeyJudge} for what must be true. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class KeySimulationTest {
    private static final int FIXED_RUNS = 12;
    private static final int FRESH_RUNS = 12;

    @Test
    void fixedSeedsKeepAllPromises() throws InterruptedException {
        run(Swarm.KEYS, FIXED_RUNS);
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        run(Swarm.KEYS + SimulationTest.sourceHash() * 1000, FRESH_RUNS);
    }

    private static void run(long first, int count) throws InterruptedException {
        long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
        assertThat(Runs.run(first, count, limit, Swarm::swarm).runs()).isEqualTo(count);
    }

    /** Also if its options are used again: the turns that a failure tells are of such a run. */
    @Test
    void oneSeedGivesOneTrace() {
        SimulationOptions options = Swarm.swarm(Swarm.KEYS);
        long hash = Simulation.run(options).traceHash();
        assertThat(Simulation.run(options).traceHash()).isEqualTo(hash);
        assertThat(Simulation.run(Swarm.swarm(Swarm.KEYS)).traceHash()).isEqualTo(hash);
    }
}
