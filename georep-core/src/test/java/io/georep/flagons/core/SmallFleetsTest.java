package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Fleets of 5 to 40 nodes under whatever a seed draws; what must hold in each run, holds. */
class SmallFleetsTest {
    private static final int RUNS = Integer.getInteger("georep.fleets", 10);
    private static final long FIRST = Long.getLong("georep.seed", 1);

    private static FleetRun drawn(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        FleetRun run = new FleetRun();
        run.seed = seed;
        run.nodes = random.nextInt(5, 41);
        run.millis = 24_000;
        run.rate = random.nextInt(5, 60);
        run.keys = random.nextInt(3, 40);
        run.evenGrid = random.nextBoolean();
        run.lan = random.nextInt(4) == 0;
        run.loss = random.nextInt(3) == 0 ? .1 : 0;
        run.churn = random.nextInt(3) == 0 ? .1 : 0;
        run.any = random.nextInt(3) == 0 ? .5 : 0;
        run.sessions = random.nextInt(5);
        if (random.nextInt(4) == 0) {
            // A client that goes from one side to the other sees what that side has.
            run.sessions = 0;
            run.splitFrom = 9_000;
            run.splitTo = 14_000;
            run.millis = 64_000;
            run.quietMillis = 48_000;
        }
        return run;
    }

    @Test
    void whateverASeedDraws() {
        int gets = 0;
        int reads = 0;
        int claims = 0;
        for (long seed = FIRST; seed < FIRST + RUNS; seed++) {
            FleetRun run = drawn(seed);
            FleetSimulation fleet = new FleetSimulation(run);
            FleetJudge judge = fleet.run();
            String all = "seed " + seed + " " + run + ": " + judge;
            assertThat(judge.violations).as(all).isEmpty();
            assertThat(judge.answers.wrong).as(all).isEmpty();
            assertThat(judge.answers.outOfTime).as(all).isZero();
            assertThat(fleet.sessions.backInTime).as(all).isEmpty();
            assertThat(judge.holeRate()).as(all).isLessThan(run.churn > 0 ? .02 : .002);
            gets += judge.answers.gets;
            reads += fleet.sessions.reads;
            claims += judge.answers.winners;
        }

        assertThat(gets).isGreaterThan(50 * RUNS);
        assertThat(reads).isGreaterThan(5 * RUNS);
        assertThat(claims).isGreaterThan(RUNS);
    }
}
