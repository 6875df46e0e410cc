package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Whose word is enough to say that a node has all. */
class CoverageTest {
    private static final long GIVE_UP = 1_000;
    private static final OrderKey BOUND = new OrderKey(5, 5);

    private final Coverage coverage = new Coverage(GIVE_UP);

    private void joined() {
        coverage.moved(Range.ALL, BOUND, 0);
    }

    private boolean confirmed(int member, boolean isComplete, int others, long now) {
        coverage.confirmed("n" + member, Range.ALL, BOUND, isComplete, others, now);
        return coverage.covers(Range.ALL);
    }

    @Test
    void twoWhoHaveAllAreEnough() {
        joined();

        assertThat(confirmed(1, true, 8, 10)).isFalse();
        assertThat(confirmed(1, true, 8, 20)).as("the same again").isFalse();
        assertThat(confirmed(2, true, 8, 30)).isTrue();
    }

    @Test
    void oneIsEnoughForThoseWhoJoinASmallFleetTogether() {
        joined();

        assertThat(confirmed(1, true, 2, 10)).isFalse();
        assertThat(confirmed(2, false, 2, 20)).isTrue();
    }

    @Test
    void oneIsEnoughWhenOthersDoNotAnswerForLong() {
        joined();

        assertThat(confirmed(1, true, 8, 10)).isFalse();
        assertThat(confirmed(1, true, 8, GIVE_UP + 1)).isTrue();
    }

    @Test
    void whenAllWhoHadItAreGoneThoseWhoAreLeftAgree() {
        joined();

        assertThat(confirmed(1, false, 8, 10)).isFalse();
        assertThat(confirmed(2, false, 8, 20)).isFalse();
        assertThat(confirmed(2, false, 8, GIVE_UP + 1)).isTrue();
    }

    @Test
    void aWordForLessIsNone() {
        joined();

        coverage.confirmed("n1", Range.ALL, new OrderKey(4, 4), true, 1, 10);

        assertThat(coverage.covers(Range.ALL)).isFalse();
    }

    @Test
    void whoMayHaveMissedSomethingIsToldAgain() {
        coverage.coversAll();
        OrderKey later = new OrderKey(9, 9);
        coverage.missedSome(Range.ALL, later, 100);

        assertThat(confirmed(1, true, 8, 110)).isFalse();
        assertThat(confirmed(2, true, 8, 120))
                .as("they speak of an earlier place")
                .isFalse();
        coverage.confirmed("n1", Range.ALL, later, true, 8, 130);
        coverage.confirmed("n2", Range.ALL, later, true, 8, 140);

        assertThat(coverage.covers(Range.ALL)).isTrue();
    }
}
