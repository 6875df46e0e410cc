package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.core.GroupsOnly.Figures;
import org.junit.jupiter.api.Test;

/** The command for the figures of order inside of groups only works, and what such an order does not give. */
class GroupsOnlyTest {
    @Test
    void operationsCostAFractionAndNobodyElseHearsOfThem() {
        Figures all = GroupsOnly.measured(60, false, 0, 0, 4_000);
        Figures group = GroupsOnly.measured(60, true, 0, 0, 4_000);

        assertThat(all.heardBy()).isGreaterThan(59);
        // The group, and who has made it.
        assertThat(group.heardBy()).isBetween(6.0, 14.0);
        assertThat(group.bytesOfOperation()).isLessThan(all.bytesOfOperation() / 3);
        assertThat(group.judge().violations).isEmpty();
        assertThat(group.judge().pairs).isGreaterThan(100);
        assertThat(group.judge().holeRate()).isLessThan(.01);
        assertThat(group.judge().answers.gets).isGreaterThan(20);
        assertThat(group.judge().answers.wrongGets).isZero();
    }
}
