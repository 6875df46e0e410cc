package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A fleet of 300 keeps what the page promises, whatever befalls it. */
class FleetSimulationTest {
    private static FleetJudge judged(FleetRun run) {
        long start = System.nanoTime();
        FleetJudge judge = new FleetSimulation(run).run();
        System.out.println((System.nanoTime() - start) / 1_000_000 + " ms: " + judge);
        return judge;
    }

    @Test
    void aQuietFleetHasNoHoles() {
        FleetJudge judge = judged(new FleetRun());

        assertThat(judge.violations).isEmpty();
    }

    @Test
    void lossOfAFifth() {
        judged(new FleetRun().with(run -> run.loss = .2));
    }

    @Test
    void churn() {
        judged(new FleetRun().with(run -> run.churn = .1));
        judged(new FleetRun().with(run -> run.churn = .3));
    }

    @Test
    void aThirdAtOnce() {
        judged(new FleetRun().with(run -> run.thirdFailsAt = 14_000));
    }

    @Test
    void twoHalvesForAWhile() {
        judged(new FleetRun().with(run -> {
            run.nodes = 100;
            run.splitFrom = 14_000;
            run.splitTo = 30_000;
            run.millis = 70_000;
        }));
    }

    @Test
    void aThousand() {
        judged(new FleetRun().with(run -> {
            run.nodes = 1000;
            run.settings = FleetSettings.hardened(1000);
            run.rate = 60;
        }));
    }

    @Test
    void randomPositions() {
        judged(new FleetRun().with(run -> run.evenGrid = false));
    }

    @Test
    void paper() {
        judged(new FleetRun().with(run -> run.settings = FleetSettings.paper(18, 25)));
        judged(new FleetRun().with(run -> run.settings = FleetSettings.paper(11, 8)));
    }
}
