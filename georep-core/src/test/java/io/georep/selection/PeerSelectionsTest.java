package io.georep.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection;
import io.georep.spi.PeerSelection.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerSelectionsTest {
    private static final long UNKNOWN = Long.MAX_VALUE;

    private static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    private static Candidate peer(String name, String site, long rttMillis) {
        return new Candidate(NodeId.of(name), site, rttMillis == UNKNOWN ? UNKNOWN : rttMillis * 1_000_000);
    }

    private static List<String> names(List<Candidate> order) {
        return order.stream().map(candidate -> candidate.id().value()).toList();
    }

    private static List<String> order(PeerSelection policy, List<Candidate> candidates, int count) {
        return names(policy.order(candidates, "home", count, random(1)));
    }

    /** How often each peer comes first. */
    private static Map<String, Integer> firsts(PeerSelection policy, List<Candidate> candidates, int rounds) {
        RandomGenerator random = random(42);
        Map<String, Integer> firsts = new TreeMap<>();
        for (int i = 0; i < rounds; i++) {
            firsts.merge(policy.order(candidates, "home", 1, random).get(0).id().value(), 1, Integer::sum);
        }
        return firsts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "siteAware", "nearest", "fixed"})
    void everyPolicyAnswersEachCandidateOnceAndTheSameForTheSameSeed(String name) {
        PeerSelection policy = switch (name) {
            case "random" -> PeerSelections.random();
            case "siteAware" -> PeerSelections.siteAware();
            case "nearest" -> PeerSelections.nearest(Duration.ofMillis(20), false);
            default -> PeerSelections.fixed(List.of(NodeId.of("p3")));
        };
        for (int size = 0; size < 9; size++) {
            List<Candidate> candidates = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                candidates.add(peer("p" + i, i % 3 == 0 ? "home" : "site" + i % 2, i * 10L));
            }

            List<String> order = order(policy, candidates, size);

            assertThat(order).containsExactlyInAnyOrderElementsOf(names(candidates));
            assertThat(order(policy, candidates, size)).isEqualTo(order);
        }
    }

    @Nested
    class AnyPeers {
        @Test
        void spreadTheFirstFailoverDutyEvenly() {
            List<Candidate> candidates =
                    List.of(peer("a", "", 1), peer("b", "", 2), peer("c", "", 3), peer("d", "", 4));

            Map<String, Integer> firsts = firsts(PeerSelections.random(), candidates, 40_000);

            assertThat(firsts).hasSize(4);
            assertThat(firsts.values()).allSatisfy(count -> assertThat(count).isCloseTo(10_000, within(400)));
        }
    }

    @Nested
    class SiteAware {
        private final PeerSelection policy = PeerSelections.siteAware();

        @Test
        void neverTakesTheOwnSiteWhileAnotherIsThere() {
            List<Candidate> candidates = List.of(peer("a", "home", 1), peer("b", "away", 90), peer("c", "home", 1));

            assertThat(firsts(policy, candidates, 1000)).containsOnlyKeys("b");
        }

        @Test
        void fillsUpWithTheOwnSite() {
            List<Candidate> candidates = List.of(peer("a", "home", 1), peer("b", "away", 90));

            assertThat(order(policy, candidates, 2)).containsExactly("b", "a");
        }

        @Test
        void prefersDifferentSitesForSeveralCopies() {
            List<Candidate> candidates =
                    List.of(peer("a", "east", 1), peer("b", "east", 1), peer("c", "east", 1), peer("d", "west", 1));
            for (long seed = 0; seed < 500; seed++) {
                List<Candidate> order = policy.order(candidates, "home", 2, random(seed));

                assertThat(order.subList(0, 2)).extracting(Candidate::site).doesNotHaveDuplicates();
            }
        }

        @Test
        void isRandomAmongThePeersOfOtherSites() {
            List<Candidate> candidates =
                    List.of(peer("a", "east", 1), peer("b", "east", 1), peer("c", "west", 1), peer("d", "home", 1));

            Map<String, Integer> firsts = firsts(policy, candidates, 30_000);

            assertThat(firsts).containsOnlyKeys("a", "b", "c");
            assertThat(firsts.values()).allSatisfy(count -> assertThat(count).isCloseTo(10_000, within(400)));
        }

        @Test
        void takesUnknownSitesForDifferentOnes() {
            List<Candidate> candidates = List.of(peer("a", "", 1), peer("b", "", 1));

            List<Candidate> order = policy.order(candidates, "", 2, random(3));

            assertThat(names(order)).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Nested
    class Nearest {
        private final List<Candidate> candidates = List.of(
                peer("a", "", 5), peer("b", "", 120), peer("c", "", 21), peer("d", "", UNKNOWN), peer("e", "", 15));

        @Test
        void takesTheNearestThatAreFarEnough() {
            assertThat(order(PeerSelections.nearest(Duration.ofMillis(20), false), candidates, 2))
                    .containsExactly("c", "b");
        }

        @Test
        void fillsUpWithTheFarthestOfTheNear() {
            assertThat(order(PeerSelections.nearest(Duration.ofMillis(20), false), candidates, 5))
                    .containsExactly("c", "b", "d", "e", "a");
        }

        @Test
        void answersTooFewWhenStrict() {
            assertThat(order(PeerSelections.nearest(Duration.ofMillis(20), true), candidates, 5))
                    .containsExactly("c", "b");
        }

        @Test
        void withoutLimitTakesUnknownRoundTripsLast() {
            assertThat(order(PeerSelections.nearest(Duration.ZERO, true), candidates, 5))
                    .containsExactly("a", "e", "c", "b", "d");
        }

        @Test
        void theLimitCanBeAddedToAnyPolicy() {
            PeerSelection policy = PeerSelections.withMinRtt(Duration.ofMillis(20), true, PeerSelections.random());

            assertThat(order(policy, candidates, 5)).containsExactlyInAnyOrder("b", "c");
        }
    }

    @Test
    void fixedOrderIsKeptAndStrangersComeLast() {
        List<Candidate> candidates = List.of(peer("a", "", 1), peer("b", "", 2), peer("c", "", 3), peer("d", "", 4));

        PeerSelection policy = PeerSelections.fixed(List.of(NodeId.of("c"), NodeId.of("x"), NodeId.of("a")));

        assertThat(order(policy, candidates, 2)).containsExactly("c", "a", "b", "d");
    }
}
