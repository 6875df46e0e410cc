package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.messages.OutboxCommand;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Some nodes may not adopt, and others hand entries over. Owners of a put at node 1 are 1, 2, … f+1. */
class ProhibitionScenarioTest {
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(60);

    private static void allow(Scenario scenario, int node, boolean allowed) {
        Host host = scenario.outbox().host(NodeId.of("n" + node));
        host.adoptionRefused = !allowed;
        if (host.isRunning()) {
            host.command(new OutboxCommand.AllowAdoption(allowed));
        }
    }

    private static void handOver(Scenario scenario, int node) {
        scenario.outbox()
                .queues()
                .forEach(queue -> scenario.outbox()
                        .host(NodeId.of("n" + node))
                        .command(new OutboxCommand.HandOver(queue, to -> true)));
    }

    @Test
    void aDrainedNodeHandsOverToAnOwnerThatMayAdopt() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);
        allow(scenario, 2, false);
        scenario.pass(SHORT);

        scenario.drain(1).pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.consume(3).pass(SHORT);
        assertThat(scenario.forwarders(put)).containsExactly(3);
        scenario.settle();
    }

    @Test
    void ifNoOwnerMayAdoptAnotherNodeGetsACopyAndTakesOver() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);
        allow(scenario, 2, false);
        scenario.pass(SHORT);

        scenario.drain(1).pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    @Test
    void whoMayNotAdoptIsNoHeir() {
        Scenario scenario = Scenario.of(3);
        allow(scenario, 2, false);
        handOver(scenario, 1);
        scenario.pass(SHORT);

        History.Put put = scenario.put(1, 1);
        scenario.pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    /** A process that was started anew says it again before it can be named. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProhibitionIsToldAgainAfterARestartOfEitherSide(boolean ofTheHolder) {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 1);
        allow(scenario, 2, false);
        int restarted = ofTheHolder ? 1 : 2;
        scenario.pass(SHORT).crash(restarted).start(restarted).pass(SHORT);

        scenario.drain(1).pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.settle();
    }

    /** It lives, and may go on for hours: those after it do not wait for it. */
    @Test
    void whoMayNotAdoptMakesWayForTheNextOwner() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);
        allow(scenario, 2, false);

        scenario.pass(SHORT).die(1).passFailover();

        assertThat(scenario.holders(put)).containsExactly(3);
        allow(scenario, 2, true);
        scenario.pass(SHORT);
        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    /** The holder lost the entry with its store, so node 2 stands first: it has but a copy, and would wait for ever. */
    @Test
    void whoMayNotAdoptMakesWayAlsoWhereItStandsFirst() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);
        allow(scenario, 2, false);

        scenario.pass(SHORT).crash(1).loseStore(1).start(1).pass(LONG);

        assertThat(scenario.holders(put)).containsExactly(3);
        assertThat(scenario.copies(put)).containsExactly(1, 2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    /** Also when its word comes after the holder was given up. */
    @Test
    void whoseProhibitionIsLearntLateMakesWayThen() {
        Scenario scenario = Scenario.of(3);
        History.Put put = scenario.put(1, 2);
        Duration failover = scenario.cluster().options().config.failoverAfter();
        scenario.die(1).pass(failover.minus(SHORT)).cut(2, 3);
        allow(scenario, 2, false);
        scenario.pass(SHORT.plusSeconds(1));
        assertThat(scenario.view(3, 1)).isEqualTo(PeerState.TERMINATED);
        assertThat(scenario.holders(put)).isEmpty();

        scenario.heal(2, 3).pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(3);
    }

    /** It holds the entry, and hands it out. */
    @Test
    void aHolderThatMayNotAdoptOthersMakesNoWay() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        allow(scenario, 1, false);

        scenario.pass(SHORT).passFailover();

        assertThat(scenario.holders(put)).containsExactly(1);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(1);
    }

    @Test
    void whileNobodyMayAdoptTheDrainedNodeKeepsItAndForwards() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        allow(scenario, 2, false);

        scenario.pass(SHORT).drain(1).passFailover();
        assertThat(scenario.holders(put)).containsExactly(1);
        allow(scenario, 2, true);
        scenario.pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.settle();
        assertThat(scenario.forwarders(put)).containsExactly(2);
    }

    /** The word crosses the claim on its way. */
    @Test
    void whoIsNamedBeforeTheProhibitionIsKnownTakesAllTheSame() {
        Scenario scenario = Scenario.of(2);
        History.Put put = scenario.put(1, 1);
        scenario.cut(2, 1);
        allow(scenario, 2, false);
        scenario.pass(Duration.ofSeconds(1)).drain(1).pass(SHORT);

        scenario.heal(2, 1).pass(SHORT);

        assertThat(scenario.holders(put)).containsExactly(2);
        scenario.consume(2).pass(SHORT);
        assertThat(scenario.forwarders(put)).containsExactly(2);
        scenario.settle();
    }

    /** The origin was cut off when its producer committed, and until others had replaced it; the holder it knew died meanwhile. */
    @Test
    void aCommitReachesWhoeverFollowedTheHolderAndReplacedTheOrigin() {
        Scenario scenario = Scenario.of(5, config -> config.reReplicateAfter(LONG));
        scenario.outbox().options().onlyProducersKnow = true;
        History.Put put = scenario.put(1, 2, prepared -> prepared.prepared = true);
        put.decision = History.Decision.COMMITTED; // and told later
        allow(scenario, 1, false);
        scenario.split(1).passFailover().join(1).pass(SHORT);
        assertThat(scenario.holders(put)).containsExactly(2);

        scenario.split(1).pass(SHORT);
        scenario.outbox().host(NodeId.of("n1")).command(new OutboxCommand.Decide(List.of(put.id), true));
        scenario.die(2).passFailover().pass(LONG.multipliedBy(2));
        assertThat(scenario.holders(put)).containsExactly(3);
        scenario.join(1).pass(SHORT);
        assertThat(scenario.copies(put)).containsExactly(4, 5);

        scenario.consume(3).pass(LONG);
        assertThat(scenario.forwarders(put)).containsExactly(3);
        scenario.settle();
    }
}
