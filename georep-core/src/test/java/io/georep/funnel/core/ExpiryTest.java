package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.model.StoreState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times to live count from the commit, by the clock of the tail (rule 20.15). */
class ExpiryTest {
    private static final View ABC = FunnelNodes.view(1, "a", "b", "c");
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");

    private void put(String writer, long lifeMillis) {
        FunnelNodes.Node node = nodes.node(writer);
        FunnelCommand.Write write = new FunnelCommand.Write(
                FunnelCommand.Kind.PUT,
                FunnelNodes.key("k"),
                FunnelNodes.slice("v"),
                null,
                lifeMillis,
                null,
                0,
                Topology.AUTO,
                "put");
        node.protocol.onCommand(write, node.turn);
        nodes.run();
    }

    /** The writer, another member, and the tail itself. */
    @ParameterizedTest
    @CsvSource({"a, -10", "a, 10", "b, -10", "b, 10", "c, -10", "c, 10"})
    void aWallClockThatIsWrongChangesNoTimeToLive(String wrong, long seconds) {
        nodes.grant(ABC);
        nodes.node(wrong).turn.stepWallClock(Duration.ofSeconds(seconds));
        nodes.grant(ABC);
        put("a", 5_000);
        nodes.pass(Duration.ofSeconds(4), ABC);
        assertThat(nodes.node("b").get("k")).isEqualTo("v");
        nodes.pass(Duration.ofSeconds(2), ABC);

        assertThat(nodes.node("b").get("k")).isEqualTo("none");
        nodes.assertSame("a", "b", "c");
    }

    /** All members keep the same end, so a node that gets the key later, or becomes the tail, has it too. */
    @ParameterizedTest
    @CsvSource({"a, -10", "c, 10"})
    void allMembersKeepTheEndThatTheTailDecided(String wrong, long seconds) {
        nodes.grant(ABC);
        nodes.node(wrong).turn.stepWallClock(Duration.ofSeconds(seconds));
        nodes.grant(ABC);
        put("a", 5_000);

        long end = nodes.node("c").turn.wallMillis() + 5_000;
        for (FunnelNodes.Node node : nodes.all.values()) {
            Cell cell = node.context().tables.find(FunnelNodes.key("k"));
            assertThat(cell.expiresAt).as(node.id + "").isEqualTo(end);
        }
    }

    /** Soak, seed 7795491692728000008: the tail turned every millisecond while its disk was full. */
    @Test
    void aKeyWhoseTimeIsOverWaitsForRoomOnTheDiskWithoutATurnForIt() {
        nodes.grant(ABC);
        put("a", 5_000);
        FunnelNodes.Node tail = nodes.node("c");
        tail.protocol.onStoreState(StoreState.FULL, tail.turn);
        nodes.pass(Duration.ofSeconds(6), ABC);
        assertThat(tail.get("k")).isEqualTo("v");
        assertThat(tail.protocol.nextDeadlineNanos()).isGreaterThan(tail.turn.now() + 5_000_000);

        tail.protocol.onStoreState(StoreState.READY, tail.turn);
        nodes.run();
        assertThat(tail.protocol.nextDeadlineNanos()).isLessThanOrEqualTo(tail.turn.now() + 1_000_000);
        nodes.pass(Duration.ofSeconds(1), ABC);
        assertThat(tail.get("k")).isEqualTo("none");
    }

    /** A lock with a lease, for which two nodes poll: at every look of the tail there is a write of the key under way. */
    @Test
    void aTimeToLiveEndsWhileConditionsFail() {
        nodes.grant(ABC);
        put("a", 5_000);
        long begin = nodes.node("c").turn.now();
        boolean isInVain = true;
        while (isInVain && nodes.node("c").turn.now() - begin < 30_000_000_000L) {
            isInVain = isPolledInVain();
        }

        assertThat(nodes.node("c").turn.now() - begin).isBetween(5_000_000_000L, 5_500_000_000L);
        nodes.pass(Duration.ofSeconds(1), ABC);
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void aRemovalThatIsUnderWayIsNotMadeAgain() {
        nodes.grant(ABC);
        put("a", 5_000);
        nodes.node("b").isStoreSlow = true;
        nodes.pass(Duration.ofSeconds(40), ABC);
        assertThat(nodes.node("c").context().own.count()).isEqualTo(1);
    }

    private boolean isPolledInVain() {
        for (FunnelNodes.Node node : nodes.all.values()) {
            node.turn.advance(Duration.ofMillis(100));
            node.grant(ABC);
        }
        for (String poller : List.of("b", "a")) {
            FunnelNodes.Node node = nodes.node(poller);
            node.write(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "of " + poller, null, Topology.STAR);
            nodes.turn(node);
        }
        nodes.node("c").protocol.onTimer(nodes.node("c").turn);
        nodes.run();
        return nodes.all.values().stream()
                .flatMap(node -> node.written().stream())
                .noneMatch(write -> write.token().toString().startsWith("PUT_IF_ABSENT") && write.applied());
    }
}
