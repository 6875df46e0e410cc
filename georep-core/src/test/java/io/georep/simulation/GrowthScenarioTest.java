package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is over leaves nothing but a floor on any node, whatever became of its origin and of its neighbours. */
class GrowthScenarioTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    /** The origin is no owner any more when its entries end. */
    @Test
    void theOriginLearnsOfTheEndAlsoWhenItWasDrained() {
        Scenario scenario = Scenario.of(3);
        List<History.Put> puts = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            puts.add(scenario.put(1, 1));
        }

        scenario.drain(1).passFailover().passFailover();
        assertThat(scenario.copies(puts.get(0))).doesNotContain(1);

        // The simulator finds tombstones above a floor, and releases that are remembered, at the end.
        scenario.settle();
        assertThat(scenario.forwarders(puts.get(0))).doesNotContain(1);
    }

    /** The other side of a partition replaced the origin. */
    @Test
    void theOriginLearnsOfTheEndAlsoWhenItWasReleasedAcrossAPartition() {
        Scenario scenario = Scenario.of(4, settings -> settings.reReplicateAfter(Duration.ofSeconds(5)));
        History.Put put = scenario.put(1, 1);
        scenario.split(1).passFailover().passFailover();
        assertThat(scenario.holders(put)).contains(2);

        scenario.join(1).pass(SHORT);

        scenario.settle();
        assertThat(scenario.forwarders(put)).hasSize(1);
    }

    /** One put that waits keeps nothing of those that followed it and are done. */
    @Test
    void aPutThatWaitsKeepsNothingOfThoseThatAreDone() {
        Scenario scenario = Scenario.of(
                3, settings -> settings.putTimeout(Duration.ofSeconds(20)).suspectAfter(Duration.ofMinutes(1)));
        scenario.pause(3);
        History.Put waiting = scenario.send(1, 2, 0);
        for (int i = 0; i < 500; i++) {
            assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.STORED);
        }
        assertThat(waiting.answer).isEqualTo(History.Answer.OPEN);

        assertThat(OutboxAudit.pendingGroups(scenario.outbox().hosts().get(0).protocol()))
                .isEqualTo(1);
        scenario.settle();
    }

    /** Two hundred ranges between entries that wait: a node without copies learns of all, 64 at a time. */
    @Test
    void moreRangesThanOneMessageHoldsAreSaidInTheNextOnes() {
        Scenario scenario = Scenario.of(3).split(3).consume(1);
        List<History.Put> over = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            scenario.put(1, 1, put -> put.prepared = true);
            over.add(scenario.put(1, 1));
        }

        scenario.join(3).pass(Duration.ofSeconds(8));

        OutboxView view = scenario.outbox().hosts().get(2).view();
        assertThat(over).allMatch(put -> view.isFinished(put.id));
        scenario.settle();
    }
}
