package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Copies that an owner lost with its store are made again (6.8.6), whatever fails meanwhile: f failures, quiet, and f
 * more must lose nothing. Owners of a put at node 1 are 1, 2, … f+1.
 */
class RestorationScenarioTest {
    private static final Duration QUIET = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static void untilMissing(Scenario scenario) {
        assertThat(scenario.within(QUIET, () -> scenario.shortOfCopies(1) == 1)).isTrue();
    }

    @Test
    void copiesOfAnOlderImageAreMadeAgain() {
        Scenario scenario = Scenario.of(3);
        SimulatedDisk.Image image = scenario.imageOf(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(2).restore(2, image).start(2).pass(QUIET);
        assertThat(scenario.copies(put)).containsExactly(2);

        scenario.die(1).passFailover().settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    /** Nobody can tell an image of the last boot from the right store. */
    @Test
    void copiesOfAnImageThatLooksRightAreMadeAgain() {
        Scenario scenario = Scenario.of(3);
        scenario.crash(2).start(2).pass(SHORT);
        SimulatedDisk.Image image = scenario.imageOf(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(2).restore(2, image).start(2).pass(QUIET);

        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.settle();
    }

    @Test
    void holderThatRestartsBeforeItCouldCopyAsksAnew() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);

        untilMissing(scenario.crash(2).loseStore(2).start(2));
        scenario.crash(1).start(1).pass(QUIET);

        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.die(1).passFailover().settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void emptyOwnerThatRestartsBeforeItGotItsCopiesIsAskedAgain() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);

        untilMissing(scenario.crash(2).loseStore(2).start(2));
        scenario.crash(2).start(2).pass(QUIET);

        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.settle();
    }

    @Test
    void cutInTheMiddleDelaysTheCopiesOnly() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);

        untilMissing(scenario.crash(2).loseStore(2).start(2));
        scenario.split(2).passFailover().join(2).pass(QUIET);

        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.settle();
    }

    /** The store is lost while the holder is down; who adopts finds out because an owner confirms only what it has. */
    @Test
    void adopterRestoresWhatWasLostWhileTheHolderWasDown() {
        Scenario scenario = Scenario.of(4);
        History.Put put = scenario.put(1, 2);

        scenario.die(1).crash(3).loseStore(3).start(3).passFailover().pass(QUIET);
        assertThat(scenario.holders(put)).containsExactly(2);
        assertThat(scenario.copies(put)).containsExactly(3);

        scenario.die(2).passFailover().settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    @Test
    void holderThatLostItsStoreGetsACopyFromItsHeir() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);

        scenario.crash(1).loseStore(1).start(1).pass(QUIET);
        assertThat(scenario.holders(put)).containsExactly(2);
        assertThat(scenario.copies(put)).containsExactly(1);

        scenario.die(2).passFailover().settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    @Test
    void manyCopiesAreMadeAgainPageByPage() {
        Scenario scenario = Scenario.of(3);
        History.Put last = scenario.put(1, 1);
        for (int i = 0; i < 600; i++) {
            last = scenario.put(1, 1);
        }

        scenario.crash(2).loseStore(2).start(2).pass(QUIET);

        assertThat(scenario.liveAt(2)).isEqualTo(601);
        assertThat(scenario.state(2, last)).isEqualTo(EntryState.COPY);
        scenario.settle();
    }

    @Test
    void holderKnowsHowManyOfItsEntriesAreShortOfCopies() {
        Scenario scenario = Scenario.of(3);
        scenario.put(1, 1);
        assertThat(scenario.shortOfCopies(1)).isZero();

        untilMissing(scenario.crash(2).loseStore(2).start(2));
        scenario.pass(QUIET);
        assertThat(scenario.shortOfCopies(1)).isZero();

        scenario.crash(2).passFailover();
        assertThat(scenario.shortOfCopies(1)).isEqualTo(1);
        scenario.settle();
    }

    /** Both other owners do not know the entry, one because it was replaced, one because its store is older. */
    @Test
    void veryLateReturnEndsNothingThatNobodyForwarded() {
        Duration life = Duration.ofSeconds(20);
        Scenario scenario = Scenario.of(4, settings -> settings.tombstoneLife(life));
        SimulatedDisk.Image older = scenario.imageOf(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(1).crash(2).restore(2, older).start(2).passFailover().pass(life);
        scenario.start(1).pass(QUIET);

        assertThat(scenario.holders(put)).containsExactly(1);
        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    /** Both sides of a partition replaced the owners of the other: node 3 is on the list that loses. */
    @Test
    void ownersOfTheListThatLostDropTheirCopies() {
        Scenario scenario = Scenario.of(4, settings -> settings.reReplicateAfter(Duration.ofSeconds(1)));
        History.Put put = scenario.put(1, 1);
        scenario.split(1, 3).passFailover().pass(Duration.ofSeconds(5));
        assertThat(scenario.holders(put)).containsExactly(1, 2);
        assertThat(scenario.copies(put)).containsExactly(3, 4);

        scenario.join(1, 3).pass(QUIET);

        assertThat(scenario.holders(put)).containsExactly(2);
        assertThat(scenario.copies(put)).containsExactly(4);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    /** The only node that could take a copy has a tombstone: the proof that the entry is over. */
    @Test
    void newOwnerThatKnowsTheEndEndsTheEntry() {
        Scenario scenario = Scenario.of(3, settings -> settings.reReplicateAfter(Duration.ofSeconds(1)));
        History.Put put = scenario.put(1, 1);
        scenario.split(1).passFailover().pass(Duration.ofSeconds(5)).consume(2).pass(SHORT);
        assertThat(scenario.forwarders(put)).containsExactly(2);
        assertThat(scenario.holders(put)).containsExactly(1);

        scenario.die(2).join(1).passFailover();
        long copies = scenario.outbox().copiesSent();
        scenario.pass(QUIET);

        assertThat(scenario.outbox().copiesSent() - copies).isLessThanOrEqualTo(1);
        assertThat(scenario.holders(put)).isEmpty();
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void nodeThatTakesNoCopiesIsNotSentAny() {
        Scenario scenario = Scenario.of(3, settings -> settings.reReplicateAfter(Duration.ofSeconds(1)));
        History.Put put = scenario.put(1, 1);
        long copies = scenario.outbox().copiesSent();

        scenario.diskFull(3, true).die(2).passFailover().pass(QUIET);
        assertThat(scenario.outbox().copiesSent() - copies).isLessThanOrEqualTo(1);

        scenario.diskFull(3, false).pass(QUIET);
        assertThat(scenario.copies(put)).containsExactly(3);
        scenario.settle();
    }

    /**
     * Node 2 was out of reach when node 3 took its place, so both adopt, and both take node 4 for node 1. Node 4 alone knows
     * both, and the copy that it has for node 2 passes to node 3.
     */
    @Test
    void whoGetsACopyFromAnotherHolderTellsTheOneItHadItFrom() {
        Scenario scenario = Scenario.of(4, settings -> settings.reReplicateAfter(Duration.ofSeconds(1)));
        History.Put put = scenario.put(1, 1);
        scenario.split(2).passFailover().pass(Duration.ofSeconds(5));
        assertThat(scenario.holders(put)).containsExactly(1, 2);
        assertThat(scenario.copies(put)).containsExactly(3);
        scenario.die(1).heal(2, 4).heal(4, 2);
        assertThat(scenario.within(Duration.ofSeconds(10), () -> scenario.state(4, put) == EntryState.COPY))
                .isTrue();

        scenario.passFailover().pass(QUIET);

        assertThat(scenario.copies(put)).containsExactly(4);
        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.join(2).settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }
}
