package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All wings on the same nodes, under one nemesis that draws their whole lives; see {@link Wing}. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class AllWingsSimulationTest {
    private static final int FIXED_RUNS = 6;
    private static final List<String> WINGS = List.of("outbox", "keys", "maps", "links");

    /** The first of them has everything; all wings work in them. */
    @Test
    void fixedSeedsKeepAllPromises() throws InterruptedException {
        Runs.Total total = Runs.run(
                Swarm.WINGS, FIXED_RUNS, System.nanoTime() + TimeUnit.MINUTES.toNanos(19), SimulationOptions::swarm);

        assertThat(total.runs()).isEqualTo(FIXED_RUNS);
        assertThat(WINGS)
                .allSatisfy(wing -> assertThat(total.coverage().runs(Breadth.Kind.WINGS, wing))
                        .as(wing)
                        .isPositive());
    }
}
