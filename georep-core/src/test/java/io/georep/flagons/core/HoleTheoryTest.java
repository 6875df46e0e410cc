package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
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
        assertThat(HoleTheory.brought(large, .2, .3)).isCloseTo(3 * .56 + 8.5 * .512 * .7, within(1e-9));
        assertThat(HoleTheory.missed(large, 0, 0, 1)).isCloseTo(1e-5, within(1e-6));
        assertThat(HoleTheory.missed(large, 0, 0, .5)).isCloseTo(3.2e-3, within(1e-4));
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

    private static void holds(FleetSettings settings, double loss) {
        FleetRun run = new FleetRun();
        run.nodes = NODES;
        run.settings = settings;
        run.loss = loss;
        run.rate = 40;
        run.millis = 29_000;
        run.quietMillis = 10_000;
        double[] poorest = {1};
        double[] expected = {0};
        run.script = fleet -> {
            if (fleet.now == 20_000) {
                Map<Long, Integer> known = new HashMap<>();
                fleet.alive.forEach(each -> each.node.peers().entries().forEach(entry -> known.merge(
                        entry.contact().id(), 1, Integer::sum)));
                double mean = known.values().stream().mapToInt(each -> each).average().orElse(1);
                fleet.alive.forEach(each -> {
                    double share = known.getOrDefault(each.contact.id(), 0) / mean;
                    poorest[0] = Math.min(poorest[0], share);
                    expected[0] += HoleTheory.missed(settings, loss, 0, share) / NODES;
                });
            }
        };
        FleetJudge judge = new FleetSimulation(run).run();
        double average = HoleTheory.missed(settings, loss, 0, 1);
        double most = HoleTheory.missed(settings, loss, 0, poorest[0]);
        String said = String.format(
                "measured %.2e, by theory %.2e, with the views as they are %.2e, poorest %.2f: %.2e",
                judge.holeRate(), average, expected[0], poorest[0], most);
        System.out.println(said);

        assertThat(judge.pairs).isGreaterThan(40_000);
        assertThat(judge.holeRate()).as(said).isBetween(average / 2, most);
    }

    @Test
    void whereNamesAreFewAsManyAreMissedAsTheorySays() {
        holds(poor(6, 3), 0);
        holds(poor(8, 3), .2);
    }

    @Test
    void whereWholeEventsGoToFewAsManyAreMissedAsTheorySays() {
        holds(poor(3, 3), 0);
        holds(poor(4, 4), .2);
    }
}
