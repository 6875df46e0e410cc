package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A repetition that cannot be avoided is announced as one (6.16). Owners of a put at node 1 are 1, 2, … f+1. */
class PossiblySentScenarioTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    /** Longer than a slow application works on an entry. */
    private static final Duration WORK = Duration.ofSeconds(6);

    private static Host first(Scenario scenario) {
        return scenario.outbox().hosts().get(0);
    }

    private static List<Boolean> announced(Scenario scenario, History.Put put) {
        return scenario.outbox().history().entry(put.id).deliveries.stream()
                .map(delivery -> delivery.possiblySent)
                .toList();
    }

    @Test
    void whatWasForwardedAndNotMarkedBeforeAPromptKillIsAnnouncedTheSecondTime() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        first(scenario).afterAccept = () -> scenario.crash(1);

        scenario.consume(1).pass(SHORT);
        assertThat(scenario.forwarders(put)).containsExactly(1);
        scenario.start(1).pass(SHORT);

        assertThat(scenario.forwarders(put)).containsExactly(1, 1);
        assertThat(announced(scenario, put)).containsExactly(false, true);
        scenario.settle();
    }

    @Test
    void afterAPromptKillWhatWasNotHandedOutIsAnnouncedAsNew() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);

        scenario.crash(1).start(1).pass(SHORT).consume(1).pass(SHORT);

        assertThat(announced(scenario, put)).containsExactly(false);
        scenario.settle();
    }

    /** SIGSTOP, while the handler has the entry: it goes on with what was adopted and forwarded meanwhile. */
    @Test
    void whatAProcessThatStoodStillHadInHandIsAnnouncedWhenItGoesOn() {
        Scenario scenario = Scenario.of(2).consume(2);
        History.Put put = scenario.put(1, 1);
        first(scenario).slow = true;
        scenario.consume(1).pass(SHORT).pause(1).passFailover();
        assertThat(scenario.forwarders(put)).containsExactly(2);

        scenario.resume(1).pass(WORK);

        assertThat(scenario.forwarders(put)).containsExactly(2, 1);
        assertThat(announced(scenario, put)).containsExactly(true, true);
        scenario.settle();
    }

    private static void suspend(Scenario scenario) {
        scenario.cluster().trouble().begin(Fault.SUSPEND, first(scenario).id(), null);
        first(scenario).node().suspend(false);
    }

    /** Its monotonic clock stood still, too: by it, the lease would last. */
    @Test
    void whatASuspendedMachineHadInHandIsAnnouncedWhenItGoesOn() {
        Scenario scenario = Scenario.of(2).consume(2);
        History.Put put = scenario.put(1, 1);
        first(scenario).slow = true;
        scenario.consume(1).pass(SHORT);
        suspend(scenario);
        scenario.passFailover();
        assertThat(scenario.forwarders(put)).containsExactly(2);

        scenario.resume(1).pass(WORK);

        assertThat(scenario.forwarders(put)).containsExactly(2, 1);
        assertThat(announced(scenario, put)).containsExactly(true, true);
        scenario.settle();
    }

    /** Also what no handler had before, as long as nobody has said what became of it. */
    @Test
    void whatASuspendedMachineHandsOutAtOnceIsAnnounced() {
        Scenario scenario = Scenario.of(2).consume(2);
        History.Put put = scenario.put(1, 1);
        suspend(scenario);
        scenario.cut(1, 2).cut(2, 1).passFailover();
        assertThat(scenario.forwarders(put)).containsExactly(2);

        scenario.resume(1).pass(SHORT).consume(1).pass(SHORT);

        assertThat(scenario.forwarders(put)).containsExactly(2, 1);
        assertThat(announced(scenario, put)).containsExactly(true, true);
        scenario.heal(1, 2).heal(2, 1).settle();
    }

    /** Node 3 never lost node 1, but hears from node 4 that node 2 took over, and has not heard that one again. */
    @Test
    void whatIsAdoptedFromAHolderOfTheOtherSideIsAnnouncedAlsoWhenTheFirstOneIsInReach() {
        Scenario scenario = Scenario.of(4).consume(3);
        History.Put put = scenario.put(1, 3);
        first(scenario).slow = true;
        scenario.split(2, 4).passFailover().consume(1);
        assertThat(scenario.holders(put)).containsExactlyInAnyOrder(1, 2);

        scenario.crash(4).heal(3, 4).heal(4, 3).start(4).pass(WORK);

        assertThat(scenario.forwarders(put)).containsExactly(3, 1);
        assertThat(announced(scenario, put)).containsExactly(true, true);
        scenario.join(2, 4).settle();
    }

    @Test
    void aPauseTooShortToBeGivenUpForIsNoReason() {
        Scenario scenario = Scenario.of(2).consume(2);
        History.Put put = scenario.put(1, 1);
        first(scenario).slow = true;

        scenario.consume(1).pass(SHORT).pause(1).pass(SHORT).resume(1).pass(WORK);

        assertThat(scenario.forwarders(put)).containsExactly(1);
        assertThat(announced(scenario, put)).containsExactly(false);
        scenario.settle();
    }

    /** Its copy goes without having been ended, and its claim loses: the entry was relocated twice meanwhile. */
    @Test
    void whatAnOwnerForwardedThatWasReplacedMeanwhileIsAnnounced() {
        Scenario scenario = Scenario.of(4, settings -> settings.reReplicateAfter(Duration.ofSeconds(1)));
        History.Put put = scenario.put(1, 1);
        scenario.outbox().hosts().get(1).afterAccept = () -> scenario.crash(2);
        scenario.split(2).consume(2).passFailover().pass(SHORT);
        assertThat(scenario.forwarders(put)).containsExactly(2);
        assertThat(scenario.copies(put)).containsExactly(3);
        scenario.drain(3).pass(SHORT);
        assertThat(scenario.copies(put)).containsExactly(4);

        scenario.join(2).rest(2).start(2).pass(WORK);
        assertThat(scenario.holders(put)).containsExactly(1);
        assertThat(scenario.copies(put)).containsExactly(4);
        scenario.consume(1).pass(SHORT);

        assertThat(scenario.forwarders(put)).containsExactly(2, 1);
        assertThat(announced(scenario, put)).containsExactly(true, true);
        scenario.settle();
    }

    /** Who hands it out shares no list with who forwarded it, and hears of the owner between them only. */
    @Test
    void whatAnOwnerForwardedThatTheHolderNeverKnewIsAnnounced() {
        Scenario scenario = Scenario.of(8, settings -> settings.reReplicateAfter(Duration.ofSeconds(1)));
        History.Put put = scenario.put(1, 1);
        scenario.split(2, 3).passFailover().pass(SHORT).drain(2).pass(SHORT);
        assertThat(scenario.holders(put)).containsExactlyInAnyOrder(1, 3);
        scenario.outbox().hosts().get(2).afterAccept = () -> scenario.crash(3);
        scenario.consume(3).pass(SHORT).rest(3).start(3).pass(SHORT);
        assertThat(scenario.forwarders(put)).containsExactly(3);
        assertThat(scenario.holders(put)).containsExactlyInAnyOrder(1, 3);
        for (int swaps = 0; swaps < 4; swaps++) {
            int copy = scenario.copies(put).stream()
                    .filter(node -> node > 3)
                    .findFirst()
                    .orElseThrow();
            scenario.drain(copy).pass(SHORT);
        }

        scenario.join(2).pass(WORK);
        assertThat(scenario.holders(put)).containsExactly(1);
        scenario.consume(1).pass(SHORT);

        assertThat(scenario.forwarders(put)).containsExactly(3, 1);
        assertThat(announced(scenario, put)).containsExactly(true, true);
        scenario.join(3).settle();
    }
}
