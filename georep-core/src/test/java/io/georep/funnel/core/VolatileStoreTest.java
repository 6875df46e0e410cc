package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.key;
import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.model.Durability;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With the level MEMORY nobody waits for a store (rule 20.17). */
class VolatileStoreTest {
    private static final View ABC = view(1, "a", "b", "c");
    private final FunnelNodes nodes = new FunnelNodes(FunnelSettings.defaults(), Durability.MEMORY, "a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");

    @BeforeEach
    void begin() {
        nodes.grant(ABC);
    }

    @Test
    void writeIsCommittedWhileStoresAnswerNothing() {
        nodes.all.values().forEach(node -> node.isStoreSlow = true);
        a.put("k", "v");
        b.put("l", "v");
        c.put("m", "v");
        nodes.run();
        assertThat(a.done()).containsExactly("PUT k v");
        assertThat(b.done()).containsExactly("PUT l v");
        assertThat(c.done()).containsExactly("PUT m v");
        nodes.assertSame("a", "b", "c");
        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(node.turn.storeBacklog()).as("batches of " + node.id).isZero();
        }
    }

    @Test
    void whatIsCommittedInTimeIsStoredOnceAndNeverAsUncommitted() {
        for (int i = 0; i < 10; i++) {
            a.put("k", "v" + i);
            nodes.run();
            nodes.all.values().forEach(node -> node.turn.advance(Duration.ofMillis(20)));
        }
        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(LateWritesTest.onDisk(node).find(key("k"))).isNull();
            assertThat(LateWritesTest.groupsOnDisk(node)).isZero();
        }
        nodes.pass(Duration.ofNanos(LateWrites.WAIT_NANOS), ABC);
        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(LateWritesTest.onDisk(node).find(key("k")))
                    .as("on disk of " + node.id)
                    .satisfies(cell -> assertThat(cell.commit).isEqualTo(10));
            assertThat(LateWritesTest.groupsOnDisk(node)).isZero();
        }
    }

    @Test
    void whatIsNotCommittedInTimeIsStored() {
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        a.put("k", "v");
        nodes.run();
        assertThat(a.done()).isEmpty();
        assertThat(LateWritesTest.groupsOnDisk(a)).isZero();
        nodes.pass(Duration.ofNanos(LateWrites.WAIT_NANOS), ABC);
        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(LateWritesTest.groupsOnDisk(node))
                    .as("on disk of " + node.id)
                    .isEqualTo(1);
        }
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(2), ABC);
        assertThat(a.done()).containsExactly("PUT k v");
        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(LateWritesTest.groupsOnDisk(node))
                    .as("on disk of " + node.id)
                    .isZero();
        }
    }

    @Test
    void muchIsStoredBeforeItsTime() {
        String large = "x".repeat(400_000);
        for (int i = 0; i < 12; i++) {
            a.put("k" + i, large);
            nodes.run();
        }
        assertThat(LateWritesTest.onDisk(b).find(key("k0"))).isNotNull();
        assertThat(LateWritesTest.onDisk(b).find(key("k11"))).isNull();
    }

    @Test
    void memberThatLeavesStoresEverything() {
        a.put("k", "v");
        nodes.run();
        b.peers.leaving = true;
        nodes.run();
        assertThat(LateWritesTest.onDisk(b).find(key("k"))).isNotNull();
        assertThat(LateWritesTest.onDisk(c).find(key("k"))).isNull();
        a.put("l", "v");
        nodes.run();
        assertThat(LateWritesTest.onDisk(b).find(key("l"))).isNotNull();
    }

    @Test
    void memberThatCrashedGetsFromTheOthersWhatItHadReported() {
        a.put("k", "v");
        b.write(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "w", null, Topology.AUTO);
        nodes.run();
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        a.put("l", "v");
        nodes.run();
        b.reboot();
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b", "c"));
        assertThat(b.get("k")).isEqualTo("v");
        assertThat(b.get("l")).isEqualTo("v");
        nodes.assertSame("a", "b", "c");
    }
}
