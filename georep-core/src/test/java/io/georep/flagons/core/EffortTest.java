package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A node that misses more than was asked does more, up to a bound, and less again when it misses nothing. */
class EffortTest {
    private static final FleetSettings SETTINGS = FleetSettings.hardened(100);

    private final Effort effort = new Effort(SETTINGS);
    private long now;

    private void rounds(int count, int late, int repaired) {
        for (int i = 0; i < count; i++) {
            for (int event = 0; event < 1_000; event++) {
                effort.delivered(SETTINGS.horizon());
                effort.own();
            }
            for (int event = 0; event < late; event++) {
                effort.late();
            }
            for (int event = 0; event < repaired; event++) {
                effort.repaired();
            }
            now += 30_000;
            effort.look(now);
        }
    }

    @Test
    void whatComesTooLateMakesItWaitLonger() {
        rounds(1, 10, 0);

        assertThat(effort.horizon()).isGreaterThan(SETTINGS.horizon());
        assertThat(effort.fanout()).isEqualTo(SETTINGS.fanout());
        assertThat(effort.holeRate()).isBetween(.005, .02);

        rounds(20, 100, 0);
        assertThat(effort.horizon()).as("bounded").isEqualTo(SETTINGS.horizon() * 3 / 2);

        rounds(20, 0, 0);
        assertThat(effort.horizon()).isEqualTo(SETTINGS.horizon());
    }

    @Test
    void whatDoesNotComeAtAllMakesItPassOnMore() {
        rounds(1, 0, 10);

        assertThat(effort.fanout()).isGreaterThan(SETTINGS.fanout());
        assertThat(effort.horizon()).isEqualTo(SETTINGS.horizon());

        rounds(20, 0, 100);
        assertThat(effort.fanout()).as("bounded").isEqualTo(2 * SETTINGS.fanout());
    }

    @Test
    void oneThatIsMissedIsChance() {
        rounds(1, 1, 1);

        assertThat(effort.fanout()).isEqualTo(SETTINGS.fanout());
        assertThat(effort.horizon()).isEqualTo(SETTINGS.horizon());
    }

    @Test
    void whatIsMissedFarTooOftenIsKnownAtOnceAndForgottenInTime() {
        rounds(1, 0, 9);
        assertThat(effort.missesFarMore()).as("nine of a thousand").isFalse();

        for (int event = 0; event < 10; event++) {
            effort.late();
        }
        assertThat(effort.missesFarMore()).as("ten of ten, so far").isTrue();

        rounds(1, 0, 0);
        assertThat(effort.missesFarMore()).as("ten of a thousand and ten").isFalse();

        rounds(1, 20, 0);
        assertThat(effort.missesFarMore()).as("of the last half minute").isTrue();
        rounds(1, 0, 0);
        assertThat(effort.missesFarMore()).isFalse();
    }
}
