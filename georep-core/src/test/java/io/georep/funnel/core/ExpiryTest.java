package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.model.StoreState;
import java.time.Duration;
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
}
