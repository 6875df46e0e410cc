package io.georep.funnel.core.ways;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans, and when each is the fastest. */
class WaysTest {
    private static final long MILLIS = 1_000_000;

    /** 100 Mbit/s, as in the paper. */
    private static final long UPLINK = 12_500_000;

    private static Ways equal(int members, int head, long millis) {
        Ways.Delays delays = (from, to) -> from == to ? 0 : millis * MILLIS;
        return new Ways(head, Collections.nCopies(members, ""), UPLINK, delays);
    }

    @Test
    void everyPlanReachesEveryOtherMemberOnce() {
        List<String> sites = List.of("x", "y", "x", "z", "y");
        for (int head = 0; head < 5; head++) {
            for (Plan plan : List.of(Plan.star(head, 5), Plan.chain(head, 5), Plan.sites(head, sites))) {
                Set<Integer> reached = new HashSet<>();
                for (int[] chain : plan.chains()) {
                    assertThat(chain).isNotEmpty();
                    Arrays.stream(chain)
                            .forEach(rank -> assertThat(reached.add(rank)).isTrue());
                }
                reached.add(head);
                assertThat(reached).hasSize(5);
            }
        }
    }

    @Test
    void theChainBeginsBehindTheHeadAndEndsInTheTail() {
        assertThat(Plan.chain(2, 5)).hasToString("[[0, 1, 3, 4]]");
        assertThat(Plan.chain(4, 5)).hasToString("[[0, 1, 2, 3]]");
        assertThat(Plan.star(1, 3)).hasToString("[[0], [2]]");
        assertThat(Plan.sites(1, List.of("x", "x", "y", "y"))).hasToString("[[0], [2, 3]]");
        assertThat(Plan.chain(0, 1).chains()).isEmpty();
        assertThat(Plan.star(0, 1).chains()).isEmpty();
        assertThat(Plan.sites(0, List.of("x")).chains()).isEmpty();
    }

    /** The formula: a chain whose clients are at all members takes (N-1) + (N-1)/N hops, a star 2: 2.40 for N = 5, 3.43 for N = 7. */
    @ParameterizedTest
    @CsvSource({"3, 1.333", "5, 2.400", "7, 3.429"})
    void theEstimateGivesTheRatiosOfTheFormula(int members, double ratio) {
        double chain = 0;
        for (int client = 0; client < members; client++) {
            Ways ways = equal(members, 0, 10);
            // Chain replication has one head, to which clients elsewhere send first.
            chain += ways.estimateNanos(ways.chain, 0, 0) + (client == 0 ? 0 : 10 * MILLIS);
        }
        Ways ways = equal(members, 0, 10);

        assertThat(chain / members / ways.estimateNanos(ways.star, 0, 0)).isCloseTo(ratio, within(0.001));
        assertThat(ratio).isCloseTo((members * members - 1) / (2.0 * members), within(0.001));
    }

    @Test
    void smallWritesTakeTheStarAndLargeOnesOverShortLinksTheChain() {
        for (long millis : List.of(10L, 20L, 40L, 80L, 160L)) {
            Ways ways = equal(7, 0, millis);
            assertThat(ways.fastest(1 << 10, 0)).isSameAs(ways.star);
        }
        assertThat(equal(7, 0, 10).fastest(1 << 20, 0))
                .matches(plan -> plan.chains().size() == 1);
        assertThat(equal(7, 0, 160).fastest(1 << 20, 0))
                .matches(plan -> plan.chains().size() == 6);
    }

    @Test
    void aLoadedUplinkSendsLess() {
        Ways ways = equal(7, 0, 10);

        assertThat(ways.fastest(16 << 10, 0.5)).isSameAs(ways.star);
        assertThat(ways.fastest(16 << 10, 0.99).chains()).hasSize(1);
        assertThat(ways.estimateNanos(ways.star, 1 << 20, 0.7)).isEqualTo(ways.estimateNanos(ways.star, 1 << 20, 0));
    }

    /** Three sites of two: the head uploads a large value once to each site, and not to every node. */
    @Test
    void severalMembersOfASiteGetOneCopyForAll() {
        List<String> sites = List.of("x", "x", "y", "y", "z", "z");
        Ways.Delays delays =
                (from, to) -> from == to ? 0 : sites.get(from).equals(sites.get(to)) ? MILLIS / 2 : 60 * MILLIS;
        Ways ways = new Ways(0, sites, UPLINK, delays);

        assertThat(ways.fastest(200_000, 0)).isSameAs(ways.bySite);
        assertThat(ways.bySite.chains()).hasSize(3);
        assertThat(ways.bySite.chains().get(0))
                .as("what takes longest leaves first")
                .containsExactly(2, 3);
        assertThat(ways.fastest(100, 0)).isSameAs(ways.star);
    }

    @Test
    void delaysBetweenOthersAreGuessedFromTheOwnOnesAndTheSites() {
        List<String> sites = List.of("x", "x", "y", "y", "z");
        Ways.Delays seen = Ways.seenFrom(0, sites, new long[] {0, 1, 20, 21, 50});

        assertThat(seen.between(0, 4)).isEqualTo(50);
        assertThat(seen.between(3, 0)).isEqualTo(21);
        assertThat(seen.between(2, 3)).as("in a site").isEqualTo(1);
        assertThat(seen.between(1, 4)).as("from the own site").isEqualTo(50);
        assertThat(seen.between(4, 1)).isEqualTo(50);
        assertThat(seen.between(2, 4)).as("between others").isEqualTo(50);
        assertThat(seen.between(2, 2)).isZero();
    }
}
