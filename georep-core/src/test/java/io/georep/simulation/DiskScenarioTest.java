package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.PeerState;
import io.georep.model.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a disk that hangs, is slow or breaks does to its node and to the others. With the settings of these scenarios a
 * store is stalled after 5 s without an answer and given up after a minute.
 */
class DiskScenarioTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    /** T_s until a write is due at all ("alive" is stamped every T_s), then the silence. */
    private static final Duration NOTICED = Duration.ofSeconds(11);

    private static final Duration GIVEN_UP = Duration.ofSeconds(70);

    private static Scenario hung(Scenario scenario, int node) {
        return hung(scenario, node, true, true);
    }

    private static Scenario hung(Scenario scenario, int node, boolean writes, boolean scans) {
        scenario.disk(node, Fault.DISK_HANG).hang(writes, scans);
        return scenario;
    }

    private static void goesOn(Scenario scenario, int node) {
        scenario.disk(node, Fault.DISK_HANG).hang(false, false);
    }

    @Test
    void sendsAtAHungDiskAreAnsweredInTime() {
        Scenario scenario = hung(Scenario.of(2), 1);

        History.Put put = scenario.send(1, 1, 0);
        scenario.pass(Duration.ofSeconds(4));

        assertThat(put.answer).isEqualTo(History.Answer.INDETERMINATE);
        scenario.settle();
    }

    @Test
    void sendsAtAFullDiskAreAnsweredInTimeAndTheNodeOutlivesIt() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.send(1, 1, 0);

        scenario.diskFull(1, true).pass(Duration.ofSeconds(4));
        assertThat(put.answer).isEqualTo(History.Answer.INDETERMINATE);
        scenario.pass(GIVEN_UP).diskFull(1, false).pass(SHORT);

        assertThat(scenario.failure(1)).isNull();
        assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.STORED);
        scenario.settle();
    }

    @Test
    void anOriginWhoseDiskHangsRefusesSends() {
        Scenario scenario = hung(Scenario.of(2), 1).pass(NOTICED);

        History.Put put = scenario.send(1, 1, 0);
        scenario.pass(Duration.ofMillis(100));

        assertThat(put.answer).isEqualTo(History.Answer.REJECTED);
        assertThat(scenario.liveAt(1)).isZero();
        scenario.settle();
    }

    @Test
    void anOwnerWhoseDiskHangsLivesAndIsNotChosen() {
        Scenario scenario = hung(Scenario.of(3), 2).pass(NOTICED);

        long before = scenario.outbox().copiesSent();
        History.Put put = scenario.put(1, 1);

        assertThat(scenario.view(1, 2)).isEqualTo(PeerState.ACTIVE);
        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        assertThat(scenario.copies(put)).containsExactly(3);
        assertThat(scenario.outbox().copiesSent() - before).isOne();
        scenario.settle();
    }

    @Test
    void nobodyIsChosenWhoseDiskIsFull() {
        Scenario scenario = Scenario.of(3).diskFull(2, true).pass(Duration.ofMillis(500));

        long before = scenario.outbox().copiesSent();
        scenario.put(1, 1);
        assertThat(scenario.outbox().copiesSent() - before).isOne();
        // Peers are looked at once per heartbeat.
        scenario.diskFull(2, false).pass(Duration.ofMillis(1500));

        assertThat(scenario.copies(scenario.put(1, 1))).containsExactly(2);
        scenario.settle();
    }

    /** The copy and the word that none is taken cross each other. */
    @Test
    void aRefusalDoesNotWaitForTheDisk() {
        Scenario scenario = hung(Scenario.of(3), 2);
        scenario.send(1, 1, 0);
        scenario.pass(Duration.ofSeconds(4));
        Way back = scenario.cluster().way(2, 1);
        back.clog();
        scenario.pass(SHORT);

        History.Put put = scenario.send(1, 1, 0);
        scenario.pass(Duration.ofMillis(100));
        assertThat(put.answer).isEqualTo(History.Answer.OPEN);
        back.heal();
        scenario.pass(Duration.ofMillis(300));

        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        assertThat(scenario.copies(put)).containsExactly(3);
        scenario.settle();
    }

    @Test
    void aCopyThatMeetsAHungDiskIsMadeElsewhereInTime() {
        Scenario scenario = hung(Scenario.of(3), 2);

        History.Put put = scenario.put(1, 1);

        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        assertThat(scenario.copies(put)).contains(3);
        goesOn(scenario, 2);
        scenario.pass(SHORT);
        assertThat(scenario.copies(put)).containsExactly(3);
        scenario.settle();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false"})
    void aNodeWhoseDiskAnswersNothingForLongFailsByNameAndItsEntriesAreAdopted(boolean writes, boolean scans) {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        hung(scenario, 1, writes, scans).pass(GIVEN_UP).passFailover();

        assertThat(scenario.failure(1).kind()).isEqualTo(StoreException.Kind.STALLED);
        assertThat(scenario.failure(1)).hasMessageContaining("no write").hasMessageContaining("storeFailAfter");
        assertThat(scenario.holders(put)).containsExactly(2);
        goesOn(scenario, 1);
        scenario.start(1).settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    /** The payload of an entry that is not in memory any more is read from the store. */
    @Test
    void readsThatHangAreNoticedAlthoughWritesAreAnswered() {
        Scenario scenario = Scenario.of(3, settings -> settings.cacheBytesMax(0));
        History.Put put = scenario.put(1, 1);

        hung(scenario, 1, false, true).consume(1).pass(Duration.ofSeconds(7));
        assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.REJECTED);
        assertThat(scenario.view(2, 1)).isEqualTo(PeerState.ACTIVE);
        assertThat(scenario.copies(scenario.put(2, 1))).containsExactly(3);
        scenario.pass(GIVEN_UP).passFailover();

        assertThat(scenario.failure(1)).hasMessageContaining("no read");
        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.settle();
    }

    @Test
    void aDiskThatGoesOnInTimeLeavesNoTrace() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        hung(scenario, 1).pass(Duration.ofSeconds(40));
        hung(scenario, 2);

        goesOn(scenario, 1);
        goesOn(scenario, 2);
        scenario.pass(NOTICED);

        assertThat(scenario.failure(1)).isNull();
        assertThat(scenario.state(1, put)).isEqualTo(EntryState.HELD);
        assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.STORED);
        assertThat(scenario.put(2, 1).answer).isEqualTo(History.Answer.STORED);
        scenario.settle();
    }

    @Test
    void nothingIsHandedOutWhileTheMarkCouldNotBeKept() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        hung(scenario, 1).pass(NOTICED).consume(1).pass(SHORT);
        assertThat(scenario.forwarders(put)).isEmpty();

        goesOn(scenario, 1);
        scenario.pass(NOTICED);

        assertThat(scenario.forwarders(put)).containsExactly(1);
        scenario.settle();
    }

    /** A disk that needs 10 s for each write is no dead disk: its node refuses, steadily, and nothing else happens. */
    @Test
    void aSlowDiskIsNeverGivenUpAndItsNodeDoesNotFlutter() {
        Scenario scenario = Scenario.of(3);
        scenario.disk(2, Fault.DISK_SLOW).speed(new SimulatedDisk.Speed(10 * World.SECONDS, 10 * World.SECONDS, 0));
        scenario.pass(Duration.ofSeconds(30));

        long before = scenario.outbox().copiesSent();
        for (int i = 0; i < 60; i++) {
            assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.STORED);
            scenario.pass(SHORT);
        }

        assertThat(scenario.failure(2)).isNull();
        assertThat(scenario.view(1, 2)).isEqualTo(PeerState.ACTIVE);
        // Now and then it may look well for a moment.
        assertThat(scenario.outbox().copiesSent() - before).isLessThanOrEqualTo(66);
        scenario.settle();
    }

    @Test
    void aBacklogBeyondItsBoundIsRefusedUntilHalfOfItIsWritten() {
        Scenario scenario = Scenario.of(3, settings -> settings.storeBacklogBytesMax(1024));
        hung(scenario, 2);
        for (int i = 0; i < 60; i++) {
            scenario.send(1, 1, 0);
            scenario.pass(Duration.ofMillis(50));
        }
        long before = scenario.outbox().copiesSent();

        assertThat(scenario.copies(scenario.put(1, 1))).containsExactly(3);
        assertThat(scenario.outbox().copiesSent() - before).isOne();
        goesOn(scenario, 2);
        scenario.pass(SHORT);

        assertThat(scenario.copies(scenario.put(1, 1))).containsExactly(2);
        scenario.settle();
    }

    @Test
    void aDiskErrorEndsTheNodeByName() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        scenario.disk(1, Fault.DISK_ERROR).breakDown();
        scenario.passFailover();

        assertThat(scenario.failure(1).kind()).isEqualTo(StoreException.Kind.IO);
        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.start(1).settle();
        assertThat(scenario.forwarders(put)).hasSize(1);
    }

    @Test
    void timeTheNodeItselfStoodStillIsNotItsDisksFault() {
        Scenario scenario = Scenario.of(2);
        hung(scenario, 1).pass(SHORT).pause(1).pass(GIVEN_UP.multipliedBy(3));

        scenario.resume(1).pass(SHORT);

        assertThat(scenario.failure(1)).isNull();
        scenario.settle();
    }
}
