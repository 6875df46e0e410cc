package io.georep.geopaxos.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Counts of the objects used last. */
class UsageTableTest {
    private final UsageTable table = new UsageTable(2, 3);

    @Test
    void onlyWhatWasUsedSinceTheLastTimeIsLookedAt() {
        table.count(7, 0, 1, 0);
        table.count(5, 1, 0, 2);
        table.count(7, 1, 1, 1);
        assertThat(table.takeTouched(10)).containsExactly(7L, 5L);
        assertThat(table.takeTouched(10)).isEmpty();
        table.count(7, 0, 1, 0);
        assertThat(table.takeTouched(10)).containsExactly(7L);
        assertThat(table.of(7)).isEqualTo(new SiteCounts(2).add(0, 2, 0).add(1, 1, 1));
        table.count(5, 0, 1, 0);
        table.forget(5);
        assertThat(table.takeTouched(10)).isEmpty();
    }

    @Test
    void whatWasNotUsedForLongestMakesRoom() {
        for (long object : new long[] {1, 2, 3, 1, 4}) {
            table.count(object, 0, 1, 0);
        }
        assertThat(table.size()).isEqualTo(3);
        assertThat(table.takeTouched(10)).containsExactly(1L, 3L, 4L);
    }

    @Test
    void whatWasLongAgoCountsLess() {
        for (int period = 0; period < 6; period++) {
            table.count(1, period == 0 ? 0 : 1, 0, UsageTable.FADES_AT);
            table.takeTouched(1);
        }
        assertThat(table.of(1).sum()).isLessThanOrEqualTo(UsageTable.FADES_AT);
        assertThat(table.of(1).writes(0)).isLessThan(UsageTable.FADES_AT / 16);
        table.count(1, 0, SiteCounts.MAX, SiteCounts.MAX);
        table.takeTouched(1);
        assertThat(table.of(1).sum()).isLessThanOrEqualTo(UsageTable.FADES_AT);
    }

    /** A report comes at the end of a period and counts as much as what came one by one. */
    @Test
    void withinAPeriodTheOrderDoesNotMatter() {
        for (int i = 0; i < 4 * UsageTable.FADES_AT; i++) {
            table.count(1, 0, 1, 0);
        }
        table.count(1, 1, 3 * UsageTable.FADES_AT, 0);
        table.takeTouched(1);
        assertThat(table.of(1).reads(0)).isGreaterThan(table.of(1).reads(1));
    }

    @Test
    void whatIsLeftComesFirstTheNextTime() {
        for (long object : new long[] {3, 2, 1}) {
            table.count(object, 0, 1, 0);
        }
        assertThat(table.takeTouched(2)).containsExactly(3L, 2L);
        table.count(3, 0, 1, 0);
        assertThat(table.takeTouched(2)).containsExactly(1L, 3L);
        table.count(2, 0, 1, 0);
        table.clear();
        assertThat(table.takeTouched(2)).isEmpty();
        assertThat(table.size()).isZero();
    }
}
