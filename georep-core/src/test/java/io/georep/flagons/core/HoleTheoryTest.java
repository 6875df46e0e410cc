package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import org.junit.jupiter.api.Test;

/** What theory says of holes is what happens, where holes are many. */
class HoleTheoryTest {
    private static final int NODES = 100;

    @Test
    void whoSendsAllToManyMissesNearlyNothing() {
        FleetSettings small = FleetSettings.hardened(300);
        FleetSettings large = FleetSettings.hardened(1000);

        assertThat(HoleTheory.brought(small, 0, 0)).isEqualTo(22);
        assertThat(HoleTheory.brought(large, 0, 0)).isEqualTo(11.5);
        assertThat(HoleTheory.brought(large, .2, .3)).isCloseTo(3 * .56 + 8.5 * .512 * .7, offset(1e-9));
        assertThat(HoleTheory.missed(large, 0, 0)).isCloseTo(1e-5, offset(1e-6));
        assertThat(HoleTheory.bound(large, 0, 0)).isCloseTo(1e-4, offset(1e-5));
    }

    /** So few names that many events are missed, and so much time that none is late. */
    private static FleetSettings poor(int fanout, int whole) {
        FleetSettings usual = FleetSettings.hardened(1000);
        return new FleetSettings(
                false,
                fanout,
                whole,
                2 * usual.horizon(),
                usual.relays(),
                usual.roundMillis(),
                usual.viewSize(),
                usual.shuffleLength(),
                usual.shuffleMillis(),
                usual.antiEntropyMillis(),
                usual.groupMin(),
                usual.groupMax(),
                usual.topDown(),
                usual.clockBoundMillis(),
                usual.ballBytesMax(),
                usual.perSourceMax(),
                usual.holesMax(),
                usual.writers(),
                usual.retentionMillis());
    }

    /** Returns how many of so many pairs were holes. */
    private static double within(FleetSettings settings, double loss) {
        FleetRun run = new FleetRun();
        run.nodes = NODES;
        run.settings = settings;
        run.loss = loss;
        run.rate = 40;
        run.millis = 29_000;
        run.quietMillis = 10_000;
        FleetJudge judge = new FleetSimulation(run).run();

        assertThat(judge.pairs).isGreaterThan(40_000);
        assertThat(judge.holeRate()).as(judge.toString()).isLessThan(HoleTheory.bound(settings, loss, 0));
        return judge.holeRate();
    }

    @Test
    void asManyAreMissedAsTheorySays() {
        assertThat(within(poor(6, 3), 0)).isGreaterThan(HoleTheory.missed(poor(6, 3), 0, 0) / 2);
        assertThat(within(poor(3, 3), 0)).isGreaterThan(HoleTheory.missed(poor(3, 3), 0, 0) / 2);
        assertThat(within(poor(4, 4), .2)).isGreaterThan(HoleTheory.missed(poor(4, 4), .2, 0) / 2);
    }

    /** Who does not hear the reply to a question asks again. */
    @Test
    void whereNamesAreLostFewerAreMissedThanTheorySays() {
        assertThat(within(poor(8, 3), .2)).isLessThan(HoleTheory.missed(poor(8, 3), .2, 0));
    }
}
