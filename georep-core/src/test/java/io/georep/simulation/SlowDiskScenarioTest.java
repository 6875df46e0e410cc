package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A disk that answers, but syncs too slowly: T_put is 3 s here. */
class SlowDiskScenarioTest {
    private static final long MILLISECOND = 1_000_000L;
    private static final int SENDS = 100;

    /** Two syncs, of which the second is under way for T_put/4; and a heartbeat, until the others know. */
    private static final Duration NOTICED = Duration.ofSeconds(8);

    private int indeterminate;
    private int rejected;
    private int stored;
    private Duration longest = Duration.ZERO;

    private static void syncs(Scenario scenario, int node, long millis) {
        scenario.disk(node, Fault.DISK_SLOW)
                .speed(new SimulatedDisk.Speed(20_000, millis * MILLISECOND, 0));
    }

    /** One send after the other at a node, ten in a second. */
    private void send(Scenario scenario, int node, int count) {
        indeterminate = 0;
        rejected = 0;
        stored = 0;
        longest = Duration.ZERO;
        for (int i = 0; i < count; i++) {
            long began = scenario.cluster().world().now();
            History.Put put = scenario.put(node, 1);
            Duration took = Duration.ofNanos(scenario.cluster().world().now() - began);
            longest = took.compareTo(longest) > 0 ? took : longest;
            switch (put.answer) {
                case STORED -> stored++;
                case REJECTED -> rejected++;
                default -> indeterminate++;
            }
            scenario.pass(Duration.ofMillis(100));
        }
    }

    @Test
    void anOwnerWhoseDiskIsSlowIsNotChosen() {
        Scenario scenario = Scenario.of(3);
        syncs(scenario, 2, 2000);
        send(scenario, 1, 10);
        scenario.pass(NOTICED);

        send(scenario, 1, SENDS);

        assertThat(stored).isEqualTo(SENDS);
        assertThat(longest).isLessThan(Duration.ofMillis(300));
        assertThat(scenario.view(1, 2)).isEqualTo(PeerState.ACTIVE);
        scenario.settle();
    }

    @Test
    void sendsAtANodeWhoseDiskIsSlowAreRefusedAtOnce() {
        Scenario scenario = Scenario.of(3);
        syncs(scenario, 1, 2000);
        send(scenario, 1, 10);

        send(scenario, 1, SENDS);

        assertThat(indeterminate).isZero();
        assertThat(rejected).isEqualTo(SENDS);
        assertThat(longest).isLessThan(Duration.ofMillis(100));
        scenario.settle();
    }

    @Test
    void withNobodyElseTheOtherNodeRefusesAtOnceToo() {
        Scenario scenario = Scenario.of(2);
        syncs(scenario, 2, 2000);
        send(scenario, 1, 10);
        scenario.pass(NOTICED);

        send(scenario, 1, SENDS);

        assertThat(indeterminate).isZero();
        assertThat(rejected).isEqualTo(SENDS);
        assertThat(scenario.put(1, 1).cause).contains("only 0 other nodes can take a copy");
        scenario.settle();
    }

    @Test
    void aNodeWhoseDiskIsWellAgainTakesEntriesAgain() {
        Scenario scenario = Scenario.of(2);
        syncs(scenario, 1, 2000);
        send(scenario, 1, 10);
        assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.REJECTED);

        syncs(scenario, 1, 10);
        scenario.pass(Duration.ofSeconds(9));

        send(scenario, 1, SENDS);
        assertThat(stored).isEqualTo(SENDS);
        scenario.settle();
    }

    @Test
    void aSingleSlowSyncAndManyThatAreLongAreNoReason() {
        Scenario scenario = Scenario.of(2);
        syncs(scenario, 1, 1200);
        assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.STORED);

        syncs(scenario, 1, 400);
        send(scenario, 1, SENDS);

        assertThat(stored).isEqualTo(SENDS);
        scenario.settle();
    }
}
