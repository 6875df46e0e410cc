package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to entries when nodes fail, leave and return, step by step. Owners of a put at node 1 are 1, 2, … f+1. */
class ScenarioTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    @Test
    void ownerDiesDuringPutAndIsReplaced() {
        Scenario scenario = Scenario.of(3).pause(2);

        History.Put put = scenario.put(1, 1);

        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        assertThat(scenario.copies(put)).containsExactly(3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    @Test
    void ownerDiesDuringPutAndNobodyCanReplaceIt() {
        Scenario scenario = Scenario.of(2).pause(2);

        History.Put put = scenario.put(1, 1);

        assertThat(put.answer).isEqualTo(History.Answer.INDETERMINATE);
        scenario.settle();
    }

    /** The way there opens first, so that the repeated copy is acknowledged into the void once more. */
    @Test
    void anAcknowledgementLostOnTheWayBackIsRepeatedWhenThatOpens() {
        Scenario scenario = Scenario.of(
                        2,
                        settings -> settings.suspectAfter(Duration.ofMinutes(2)).putTimeout(Duration.ofMinutes(1)))
                .cut(2, 1);
        History.Put put = scenario.send(1, 1, 0);
        scenario.pass(SHORT).cut(1, 2).pass(SHORT).heal(1, 2).pass(SHORT);
        assertThat(put.answer).isEqualTo(History.Answer.OPEN);

        scenario.heal(2, 1).pass(SHORT);

        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        scenario.settle();
    }

    @Test
    void nextOwnerForwardsWhenTheOriginIsDead() {
        Scenario scenario = Scenario.of(3).consume(2);
        History.Put put = scenario.put(1, 2);

        scenario.die(1).passFailover();

        assertThat(scenario.forwarders(put)).containsExactly(2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void lastOwnerForwardsWhenAllBeforeItAreDead() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);

        scenario.die(1).passFailover();
        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.die(2).passFailover();

        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    @Test
    void rebootedOwnerAdoptsAlthoughItNeverHeardTheDeadOrigin() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(2).die(1).start(2);
        assertThat(scenario.view(2, 1)).isEqualTo(PeerState.PROSPECT);
        scenario.passFailover();

        assertThat(scenario.view(2, 1)).isEqualTo(PeerState.TERMINATED);
        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void ofTwoAdoptersOneRemainsWhenThePartitionHeals() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);
        scenario.die(1).split(2).passFailover();
        assertThat(scenario.holders(put)).containsExactly(2, 3);

        scenario.join(2).passFailover();

        assertThat(scenario.holders(put)).hasSize(1);
        assertThat(scenario.copies(put)).hasSize(1);
        scenario.settle();
        assertThat(scenario.forwarders(put)).hasSize(1);
    }

    @Test
    void quickReturnChangesNothing() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);

        scenario.crash(1).pass(SHORT).start(1).passFailover();

        assertThat(scenario.holders(put)).containsExactly(1);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    @Test
    void whoReturnsAfterTheAdoptionCedes() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);
        scenario.crash(1).passFailover();
        assertThat(scenario.holders(put)).containsExactly(2);

        scenario.start(1).pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(2);
        assertThat(scenario.copies(put)).containsExactly(1, 3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void whoReturnsAfterTheForwardingRemoves() {
        Scenario scenario = Scenario.of(3).consume(2);
        History.Put put = scenario.put(1, 2);
        scenario.crash(1).passFailover();

        scenario.consume(1).start(1).pass(SHORT);

        assertThat(scenario.liveAt(1)).isZero();
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void lateReturnHoldsBackUntilAnOwnerAnswers() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        scenario.crash(1, 2).consume(1).passFailover();

        scenario.start(1).pass(SHORT);
        assertThat(scenario.isHeldBack(1, put)).isTrue();
        assertThat(scenario.forwarders(put)).isEmpty();
        scenario.start(2).pass(SHORT);

        assertThat(scenario.forwarders(put)).containsExactly(1);
        scenario.settle();
    }

    @Test
    void lateReturnOwnsAgainWhenNobodyAnswers() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        scenario.crash(1).die(2).consume(1).passFailover();

        scenario.start(1).passFailover().passFailover();
        assertThat(scenario.isHeldBack(1, put)).isTrue();
        scenario.passFailover();

        assertThat(scenario.forwarders(put)).containsExactly(1);
        scenario.settle();
    }

    /** The time to ask begins when somebody can be asked, not when the process starts. */
    @Test
    void lateReturnWaitsForTheFirstOwnerThatCanBeAsked() {
        Scenario scenario = Scenario.of(2).consume(2);
        History.Put put = scenario.put(1, 1);
        scenario.crash(1).passFailover();
        assertThat(scenario.forwarders(put)).containsExactly(2);

        scenario.split(1).consume(1).start(1).passFailover().pass(SHORT);
        assertThat(scenario.isHeldBack(1, put)).isTrue();
        scenario.join(1).pass(SHORT);

        assertThat(scenario.liveAt(1)).isZero();
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void returnAfterTheTombstonesExpiredForwardsNothingAgain() {
        Scenario scenario = Scenario.of(3, settings -> settings.tombstoneLife(Duration.ofSeconds(40)));
        scenario.consume(2);
        History.Put put = scenario.put(1, 2);
        scenario.crash(1).passFailover();
        assertThat(scenario.forwarders(put)).containsExactly(2);
        scenario.pass(Duration.ofMinutes(3));

        scenario.consume(1).start(1).passFailover();

        assertThat(scenario.forwarders(put)).containsExactly(2);
        assertThat(scenario.liveAt(1)).isZero();
        scenario.settle();
    }

    @Test
    void olderDiskImageForwardsNothingAgainOncePeersAreHeardAndItsIdsAreNew() {
        Scenario scenario = Scenario.of(3);
        History.Put old = scenario.put(1, 2);
        SimulatedDisk.Image image = scenario.imageOf(1);
        scenario.crash(1).start(1).consume(1).pass(SHORT);
        assertThat(scenario.forwarders(old)).containsExactly(1);
        History.Put later = scenario.put(1, 2);
        scenario.crash(1).restore(1, image).rest(1).start(1).pass(SHORT);

        History.Put next = scenario.put(1, 2);

        assertThat(next.answer).isEqualTo(History.Answer.STORED);
        assertThat(next.id).isNotEqualTo(old.id).isNotEqualTo(later.id);
        scenario.settle();
        assertThat(scenario.forwarders(old)).containsExactly(1);
    }

    @Test
    void emptyStoreGetsItsCopiesBack() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(2).loseStore(2).start(2).passFailover();

        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.die(1).passFailover();
        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void emptyStoreOfTheOriginLeavesItsEntriesToTheNextOwner() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(1).loseStore(1).start(1).passFailover();

        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    @Test
    void lostDeleteIsRepeatedUntilItArrives() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        scenario.cut(1, 2).consume(1).pass(SHORT);
        assertThat(scenario.copies(put)).containsExactly(2);

        scenario.heal(1, 2).passFailover();

        assertThat(scenario.liveAt(2)).isZero();
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    @Test
    void lostDeleteOfADeadHolderIsADuplicate() {
        Scenario scenario = Scenario.of(3);
        History.Put put = forwardedBehindTheBackOfNodeTwo(scenario);

        assertThat(scenario.forwarders(put)).containsExactly(1, 2);
        scenario.settle();
    }

    /** DELETE reaches node 3 and not node 2; then the holder dies. */
    private static History.Put forwardedBehindTheBackOfNodeTwo(Scenario scenario) {
        History.Put put = scenario.put(1, 2);
        scenario.cut(1, 2).consume(1).pass(Duration.ofSeconds(1));
        assertThat(scenario.copies(put)).containsExactly(2);
        scenario.die(1).consume(2).passFailover();
        return put;
    }

    @Test
    void eachSideOfAPartitionWithEnoughNodesAccepts() {
        Scenario scenario = Scenario.of(5);

        scenario.split(1, 2).passFailover();
        History.Put small = scenario.put(1, 1);
        History.Put large = scenario.put(4, 2);

        assertThat(small.answer).isEqualTo(History.Answer.STORED);
        assertThat(large.answer).isEqualTo(History.Answer.STORED);
        scenario.settle();
    }

    @Test
    void tooFewNodesRejectAtOnceAndStoreNothing() {
        Scenario scenario = Scenario.of(3);

        scenario.split(1).passFailover();
        History.Put put = scenario.put(1, 1);

        assertThat(put.answer).isEqualTo(History.Answer.REJECTED);
        assertThat(scenario.liveAt(1)).isZero();
        scenario.settle();
    }

    @Test
    void oneWayPartitionMakesTheDeafNodeAdoptAndOneHolderRemains() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        scenario.cut(1, 2).passFailover();

        // The origin hears the claim of the adopter, which outranks its own.
        assertThat(scenario.view(1, 2)).isEqualTo(PeerState.ACTIVE);
        assertThat(scenario.holders(put)).containsExactly(2);
        assertThat(scenario.put(1, 1).answer).isEqualTo(History.Answer.REJECTED);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }
}
