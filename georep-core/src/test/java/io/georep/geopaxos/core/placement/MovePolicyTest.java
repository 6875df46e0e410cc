package io.georep.geopaxos.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which objects are worth moving. */
class MovePolicyTest {
    private static final int A = 1;
    private static final int B = 2;
    private static final int C = 4;
    private static final int ALL = A | B | C;

    private final MovePolicy policy = new MovePolicy(
            new CostModel(new int[][] {{0, 150_000, 70_000}, {150_000, 0, 90_000}, {70_000, 90_000, 0}}), 20);
    private final SiteCounts counts = new SiteCounts(3);

    @Test
    void anObjectGoesToItsOnlyUser() {
        assertThat(policy.choose(counts, A, ALL)).as("nobody uses it").isEqualTo(A);
        counts.add(1, 0, 19);
        assertThat(policy.choose(counts, A, ALL)).as("not worth it yet").isEqualTo(A);
        counts.add(1, 0, 1);
        assertThat(policy.choose(counts, A, ALL)).isEqualTo(B);
        assertThat(policy.choose(counts, B, ALL)).isEqualTo(B);
    }

    @Test
    void twoUsersDoNotTearIt() {
        counts.add(0, 0, 400).add(1, 0, 550);
        assertThat(policy.choose(counts, A, A | B)).isEqualTo(A);
        assertThat(policy.choose(counts, B, A | B)).isEqualTo(B);
        counts.add(1, 0, 100);
        assertThat(policy.choose(counts, A, A | B)).as("a third is saved").isEqualTo(B);
    }

    @Test
    void whatIsReadEverywhereIsServedEverywhere() {
        counts.add(0, 1000, 1).add(1, 1000, 0).add(2, 1000, 0);
        assertThat(policy.choose(counts, A, ALL)).isEqualTo(ALL);
        assertThat(policy.choose(counts, A, A | B))
                .as("one group may not get it")
                .isEqualTo(A | B);
    }

    @Test
    void noObjectGoesWhereFewUseItOrNobodyMay() {
        counts.add(1, 0, 1000).add(2, 0, 99);
        assertThat(policy.choose(counts, A, A | C)).as("only 9.9 percent").isEqualTo(A);
        assertThat(policy.choose(counts, A, 0)).isEqualTo(A);
        counts.add(2, 0, 1);
        assertThat(policy.choose(counts, A, A | C)).isEqualTo(C);
    }
}
