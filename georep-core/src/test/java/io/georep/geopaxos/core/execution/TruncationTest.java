package io.georep.geopaxos.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TruncationTest {
    private final Rules rules = new Rules();
    private final Truncation truncation = new Truncation(2);

    @Test
    void aSnapshotIsDueAfterSoManyEntriesOfAllGroups() {
        long half = rules.snapshotEvery / 2;

        assertThat(truncation.isDue(List.of(half, half - 1), rules)).isFalse();
        assertThat(truncation.isDue(List.of(half, half), rules)).isTrue();

        truncation.booted(List.of(half, half));
        assertThat(truncation.isDue(List.of(half, half), rules)).isFalse();
    }

    /** Or large entries would fill the memory. */
    @Test
    void aSnapshotIsDueAfterSoManyBytes() {
        truncation.processed(rules.snapshotBytes - 1);
        assertThat(truncation.isDue(List.of(1L, 0L), rules)).isFalse();
        truncation.processed(1);
        assertThat(truncation.isDue(List.of(2L, 0L), rules)).isTrue();

        truncation.booted(List.of(2L, 0L));
        assertThat(truncation.isDue(List.of(2L, 0L), rules)).isFalse();
    }
}
