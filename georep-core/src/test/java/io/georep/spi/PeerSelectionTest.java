package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection.Candidate;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PeerSelectionTest {
    private static final Candidate HERE = new Candidate(NodeId.of("a"), "ams", 1_000_000);
    private static final Candidate NEW_YORK_1 = new Candidate(NodeId.of("b"), "nyc", 80_000_000);
    private static final Candidate NEW_YORK_2 = new Candidate(NodeId.of("c"), "nyc", 81_000_000);
    private static final Candidate LONDON = new Candidate(NodeId.of("d"), "lon", 10_000_000);
    private static final List<Candidate> ALL = List.of(HERE, NEW_YORK_1, NEW_YORK_2, LONDON);

    @Test
    void siteAwareTakesDifferentOtherSitesFirstAndTheOwnLast() {
        for (int seed = 0; seed < 50; seed++) {
            List<Candidate> order = PeerSelection.siteAware().order(ALL, "ams", 2, new SplittableRandom(seed));

            assertThat(order).containsExactlyInAnyOrderElementsOf(ALL).last().isEqualTo(HERE);
            assertThat(order.subList(0, 2)).extracting(Candidate::site).containsExactlyInAnyOrder("nyc", "lon");
        }
    }

    @Test
    void randomAnswersAllAndSpreadsTheFirstPlace() {
        List<Candidate> firsts = new java.util.ArrayList<>();
        for (int seed = 0; seed < 50; seed++) {
            List<Candidate> order = PeerSelection.random().order(ALL, "ams", 1, new SplittableRandom(seed));
            firsts.add(order.get(0));
            assertThat(order).containsExactlyInAnyOrderElementsOf(ALL);
        }

        assertThat(firsts).containsAll(ALL);
    }

    @Test
    void nearestSortsByRoundTrip() {
        assertThat(order(PeerSelection.nearest(), 2)).containsExactly(HERE, LONDON, NEW_YORK_1, NEW_YORK_2);
    }

    @Test
    void fixedAnswersOnlyTheNamedOnes() {
        PeerSelection fixed = PeerSelection.fixed(List.of(NodeId.of("d"), NodeId.of("x"), NodeId.of("a")));

        assertThat(order(fixed, 2)).containsExactly(LONDON, HERE);
    }

    @Test
    void limitOfRoundTripsIsFilledUpWithTheFarthestBelowUnlessStrict() {
        PeerSelection nearest = PeerSelection.nearest();

        assertThat(order(nearest.atLeast(Duration.ofMillis(20), false), 2)).containsExactly(NEW_YORK_1, NEW_YORK_2);
        assertThat(order(nearest.atLeast(Duration.ofMillis(20), false), 3))
                .containsExactly(LONDON, NEW_YORK_1, NEW_YORK_2);
        assertThat(order(nearest.atLeast(Duration.ofMillis(20), true), 3)).containsExactly(NEW_YORK_1, NEW_YORK_2);
    }

    private static List<Candidate> order(PeerSelection policy, int count) {
        return policy.order(ALL, "ams", count, new SplittableRandom(1));
    }
}
