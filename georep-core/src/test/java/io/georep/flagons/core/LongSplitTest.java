package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Two sides that hear nothing of each other for two days, while both are written to: {@code -Dgeorep.fleet.all=true}. */
class LongSplitTest {
    private static final long MINUTE = 60_000;
    private static final long DAY = 24 * 60 * MINUTE;
    private static final int KEYS = 6;

    private static Member any(FleetSimulation fleet, int side) {
        return fleet.alive.stream()
                .filter(each -> fleet.side(each) == side)
                .findFirst()
                .orElseThrow();
    }

    /** Each side writes each key every three hours. */
    private static void write(FleetSimulation fleet) {
        if (fleet.now % (30 * MINUTE) != 0 || fleet.now > 2 * DAY) {
            return;
        }
        for (int side = 0; side < 2; side++) {
            Slice key = Slice.utf8("key" + fleet.now / (30 * MINUTE) % KEYS);
            FleetOperation.Kind kind = side == 1 && fleet.now > 2 * DAY - 60 * MINUTE
                    ? FleetOperation.Kind.REMOVE
                    : FleetOperation.Kind.PUT;
            fleet.submit(
                    any(fleet, side),
                    fleet.operation(kind, key),
                    side == 0 ? FleetConsistency.ORDERED : FleetConsistency.CONVERGING,
                    OrderKey.FIRST,
                    1,
                    outcome -> {});
        }
    }

    private static boolean knowsTheOtherSide(FleetSimulation fleet, Member member) {
        return member.node.peers().entries().stream()
                .map(entry -> fleet.members.get(
                        Integer.parseInt(entry.contact().address().substring(1))))
                .anyMatch(other -> fleet.side(other) != fleet.side(member));
    }

    @Test
    @EnabledIfSystemProperty(named = "georep.fleet.all", matches = "true")
    void twoDaysWithWritesOnBothSidesHeal() {
        FleetRun run = new FleetRun();
        run.nodes = 12;
        run.settings = FleetSettings.hardened(300);
        run.rate = 0;
        run.splitFrom = 10 * MINUTE;
        run.splitTo = 2 * DAY;
        run.millis = 2 * DAY + 15 * MINUTE;
        boolean[] isDivided = new boolean[1];
        run.script = in -> {
            write(in);
            if (in.now == DAY) {
                isDivided[0] = in.alive.stream().noneMatch(each -> knowsTheOtherSide(in, each));
            }
        };
        FleetSimulation fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();

        assertThat(isDivided[0]).isTrue();
        assertThat(judge.violations).as(judge.toString()).isEmpty();
        assertThat(judge.answers.wrongStores).as(judge.toString()).isZero();
        assertThat(fleet.alive).allMatch(each -> knowsTheOtherSide(fleet, each));
        assertThat(fleet.alive).noneMatch(each -> each.node.isCutOff());
        for (int key = 0; key < KEYS; key++) {
            Slice name = Slice.utf8("key" + key);
            assertThat(fleet.alive.stream()
                            .map(each ->
                                    each.node.store().look(name, OrderKey.LAST).version())
                            .distinct())
                    .as("versions of " + key)
                    .hasSize(1);
        }
    }
}
