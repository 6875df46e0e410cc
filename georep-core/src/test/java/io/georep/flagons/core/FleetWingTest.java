package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.simulation.WingSimulation;
import org.junit.jupiter.api.Test;

/** The judge of fleets in all kinds of trouble notices known errors. */
class FleetWingTest {
    private static final int RUNS_MAX = 80;

    private static void run(FleetRules error) {
        for (long seed = 0; seed < RUNS_MAX; seed++) {
            WingSimulation.run(
                    seed, WingSimulation.Beside.NOBODY, machines -> new FleetWing(machines, 125, true, error));
        }
    }

    @Test
    void anEventThatIsDeliveredBehindALaterOne() {
        // An event that comes late, so that it would be delivered behind a later one, there is in one run of a hundred
        // only.
        FleetRules hasty = new FleetRules() {
            @Override
            boolean mayPass(OrderKey stable, OrderKey unstable) {
                return true;
            }
        };

        assertThatThrownBy(() -> run(hasty)).hasMessageContaining("D2 D3");
    }
}
