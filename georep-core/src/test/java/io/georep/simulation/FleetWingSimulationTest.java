package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fleets of few nodes in all kinds of trouble, by seeds; see {@link io.georep.flagons.core.FleetWing}. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FleetWingSimulationTest {
    /** A short one costs a third of a long one. */
    private static final int LONG_RUNS = 100;

    private static final int SHORT_RUNS = 900;
    private static final int FRESH_RUNS = 5;

    @Test
    void fixedSeedsKeepAllPromises() throws InterruptedException {
        run(Swarm.FLEETS, LONG_RUNS);
        run(Swarm.SHORT_FLEETS, SHORT_RUNS);
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        run(Swarm.FLEETS + SimulationTest.sourceHash() * 1000, FRESH_RUNS);
        run(Swarm.SHORT_FLEETS + SimulationTest.sourceHash() * 1000, FRESH_RUNS);
    }

    private static void run(long first, int count) throws InterruptedException {
        long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(9);
        assertThat(Runs.run(first, count, limit, Swarm::swarm).runs()).isEqualTo(count);
    }

    @Test
    void oneSeedGivesOneTrace() {
        long hash = Simulation.run(Swarm.swarm(Swarm.FLEETS)).traceHash();
        assertThat(Simulation.run(Swarm.swarm(Swarm.FLEETS)).traceHash()).isEqualTo(hash);
    }
}
