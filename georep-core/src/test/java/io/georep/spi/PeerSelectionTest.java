package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection.Candidate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    @Test
    void firstFailoverDutyIsSpreadEvenly() {
        Map<Candidate, Integer> anywhere = firsts(PeerSelection.random(), "ams", 40_000);
        Map<Candidate, Integer> elsewhere = firsts(PeerSelection.siteAware(), "ams", 30_000);

        assertThat(anywhere).hasSize(4);
        assertThat(anywhere.values()).allSatisfy(count -> assertThat(count).isCloseTo(10_000, within(400)));
        assertThat(elsewhere).containsOnlyKeys(NEW_YORK_1, NEW_YORK_2, LONDON);
        assertThat(elsewhere.values()).allSatisfy(count -> assertThat(count).isCloseTo(10_000, within(400)));
    }

    /** How often each peer comes first, under one seed. */
    private static Map<Candidate, Integer> firsts(PeerSelection policy, String ownSite, int rounds) {
        SplittableRandom random = new SplittableRandom(42);
        Map<Candidate, Integer> firsts = new HashMap<>();
        for (int round = 0; round < rounds; round++) {
            firsts.merge(policy.order(ALL, ownSite, 1, random).get(0), 1, Integer::sum);
        }
        return firsts;
    }

    @Test
    void theOwnSiteFillsUpWhenTheOthersAreTooFew() {
        List<Candidate> order =
                PeerSelection.siteAware().order(List.of(HERE, LONDON), "ams", 2, new SplittableRandom(1));

        assertThat(order).containsExactly(LONDON, HERE);
    }

    @Test
    void everyPolicyAnswersTheSameForTheSameSeed() {
        for (PeerSelection policy : List.of(
                PeerSelection.random(),
                PeerSelection.siteAware(),
                PeerSelection.nearest(),
                PeerSelection.random().atLeast(Duration.ofMillis(20), false))) {
            assertThat(order(policy, 3)).isEqualTo(order(policy, 3)).doesNotHaveDuplicates();
        }
    }

    private static List<Candidate> order(PeerSelection policy, int count) {
        return policy.order(ALL, "ams", count, new SplittableRandom(1));
    }
}
