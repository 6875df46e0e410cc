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
        assertThat(table.takeTouched()).containsExactly(5L, 7L);
        assertThat(table.takeTouched()).isEmpty();
        table.count(7, 0, 1, 0);
        assertThat(table.takeTouched()).containsExactly(7L);
        assertThat(table.of(7)).isEqualTo(new SiteCounts(2).add(0, 2, 0).add(1, 1, 1));
        table.count(5, 0, 1, 0);
        table.forget(5);
        assertThat(table.takeTouched()).isEmpty();
    }

    @Test
    void whatWasNotUsedForLongestMakesRoom() {
        for (long object : new long[] {1, 2, 3, 1, 4}) {
            table.count(object, 0, 1, 0);
        }
        assertThat(table.size()).isEqualTo(3);
        assertThat(table.takeTouched()).containsExactly(1L, 3L, 4L);
    }

    @Test
    void whatWasLongAgoCountsLess() {
        table.count(1, 0, 0, UsageTable.FADES_AT);
        table.count(1, 1, 0, UsageTable.FADES_AT);
        assertThat(table.of(1).sum()).isEqualTo(UsageTable.FADES_AT);
        for (int i = 0; i < 3 * UsageTable.FADES_AT; i++) {
            table.count(1, 1, 0, 1);
        }
        assertThat(table.of(1).writes(0)).isLessThan(UsageTable.FADES_AT / 16);
        table.count(1, 0, SiteCounts.MAX, SiteCounts.MAX);
        assertThat(table.of(1).sum()).isLessThanOrEqualTo(UsageTable.FADES_AT);
    }
}
