package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Nodes that have been up for long when something rare happens. Owners of a put at node 1 are 1, 2, … f+1. */
class UptimeScenarioTest {
    private static final Duration AWAY = Duration.ofSeconds(60);

    /** Node 2 knows node 4 by name only, and for long, when the copy of an entry names it. */
    @Test
    void anAnnouncedReturnDoesNotMoveWhenAnOldNameIsMentioned() {
        Scenario scenario = Scenario.of(4);
        History.Put put = scenario.put(1, 1);
        scenario.crash(2).cut(2, 4).cut(4, 2).start(2).pass(Duration.ofMinutes(30));
        assertThat(scenario.view(2, 4)).isEqualTo(PeerState.PROSPECT);
        scenario.leave(1, AWAY);

        History.Put naming = scenario.put(3, 2);
        assertThat(scenario.copies(naming)).containsExactly(2, 4);
        assertThat(scenario.view(2, 4)).isEqualTo(PeerState.TERMINATED);
        scenario.pass(AWAY.plus(Scenario.T_S));

        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.settle();
    }
}
