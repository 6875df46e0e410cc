package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Operators remove nodes that run, and removed nodes are remembered. Owners of a put at node 1 are 1, 2, … f+1. */
class RemovalScenarioTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    @Test
    void aRemovedNodeHandsOutNothingThatOthersHaveTakenOver() {
        Scenario scenario = Scenario.of(3);
        List<History.Put> shared =
                Stream.generate(() -> scenario.put(1, 1)).limit(200).toList();
        History.Put alone = scenario.put(1, 0);

        scenario.remove(3, 1).pass(SHORT).consume(2).consume(1).passFailover();

        assertThat(shared)
                .allSatisfy(put -> assertThat(scenario.forwarders(put)).containsExactly(2));
        assertThat(scenario.forwarders(alone)).containsExactly(1);
        scenario.crash(1).start(1).settle();
        assertThat(shared)
                .allSatisfy(put -> assertThat(scenario.forwarders(put)).containsExactly(2));
    }

    /** Nobody took them over: its next process asks, waits, and forwards them. */
    @Test
    void whatARemovedNodeHasAndNobodyElseIsForwardedByItsNextProcess() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);
        scenario.die(2).remove(3, 1).pass(SHORT).consume(1).passFailover();
        assertThat(scenario.forwarders(put)).isEmpty();

        scenario.crash(1).start(1).pass(SHORT);
        assertThat(scenario.isHeldBack(1, put)).isTrue();

        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    /** Its peers refuse it, so that all of them seem to be gone. */
    @Test
    void aRemovedNodeAdoptsNothing() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);

        scenario.remove(3, 2).pass(SHORT).passFailover();

        assertThat(scenario.view(2, 1)).isEqualTo(PeerState.TERMINATED);
        assertThat(scenario.holders(put)).containsExactly(1);
        scenario.crash(2).start(2).settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }
}
