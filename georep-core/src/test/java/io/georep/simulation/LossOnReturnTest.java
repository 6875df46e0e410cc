package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.model.EntryState;
import org.junit.jupiter.api.Test;

/** Gap G6: a node that removes its copies when it returns loses entries, and the simulation finds out. */
class LossOnReturnTest {
    private static final int SEEDS_MAX = 400;

    /** The first owner crashes, the second adopts, the first returns, the second dies for good. */
    private static History.Put story(Scenario scenario) {
        History.Put put = scenario.put(1, 1);
        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        scenario.crash(1).passFailover();
        assertThat(scenario.holders(put)).containsExactly(2);

        scenario.start(1).passFailover();
        assertThat(scenario.holders(put)).containsExactly(2);

        scenario.die(2).passFailover();
        return put;
    }

    @Test
    void whoReturnsKeepsACopyAndForwardsWhenTheAdopterDies() {
        Scenario scenario = Scenario.of(2);

        History.Put put = story(scenario);

        assertThat(scenario.state(1, put)).isEqualTo(EntryState.HELD);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    @Test
    void removingOnReturnAloneLosesTheEntry() {
        Scenario scenario = Scenario.of(
                2, settings -> settings, SimulationOptions.Rules.fixed(2).removingOnReturn());

        story(scenario);

        SimulationFailure failure = catchThrowableOfType(SimulationFailure.class, scenario::settle);
        assertThat(failure).hasMessageStartingWith("loss:");
    }

    /** The simulation finds it without being told, and does not find it in the protocol as it is delivered. */
    @Test
    void randomTroubleFindsTheLossAndOnlyThere() {
        SimulationFailure found = null;
        long seed = 0;
        while (found == null && seed < SEEDS_MAX) {
            SimulationOptions options = Swarm.swarm(++seed).thatRemovesOnReturn();
            found = catchThrowableOfType(SimulationFailure.class, () -> Simulation.run(options));
        }

        assertThat(found).as("failure within %d seeds", SEEDS_MAX).isNotNull().hasMessageStartingWith("loss:");
        assertThat(found)
                .as("tells the last turns of the entry")
                .hasMessageContaining("last turns:")
                .hasMessageContaining("REPLICATE")
                .hasMessageContaining("ceded");
        SimulationOptions delivered = Swarm.swarm(seed).thatRemovesOnReturn().with(SimulationOptions.Rules.delivered());
        assertThat(Simulation.run(delivered).acknowledged()).isPositive();
    }
}
