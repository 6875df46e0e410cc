package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.simulation.WingSimulation;
import org.junit.jupiter.api.Test;

/** The judge of fleets in all kinds of trouble notices known errors. */
class FleetWingTest {
    private static final int RUNS_MAX = 40;

    private static void run(Rules error) {
        for (long seed = 0; seed < RUNS_MAX; seed++) {
            WingSimulation.run(
                    seed, WingSimulation.Beside.NOBODY, machines -> new FleetWing(machines, 125, true, error));
        }
    }

    @Test
    void anEventThatIsDeliveredBehindALaterOne() {
        Rules never = new Rules() {
            @Override
            boolean isLate(OrderKey key, OrderKey last) {
                return false;
            }
        };

        assertThatThrownBy(() -> run(never)).hasMessageContaining("D2 D3");
    }
}
