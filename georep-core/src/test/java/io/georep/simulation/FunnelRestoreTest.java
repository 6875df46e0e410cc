package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster.Restoration;
import org.junit.jupiter.api.Test;

/** The peers of the master lost their directories, and the stores of the nodes are whole (rule 20.23). */
class FunnelRestoreTest {
    private final SimulatedCluster cluster = FunnelWing.cluster(3);
    private final FunnelWing maps = cluster.wing(FunnelWing.class);

    @Test
    void anOrderRestoresTheViewFromTheStores() {
        assertThat(maps.put(2, "k", "<kept>").isOver).isTrue();
        maps.master().loseDirectories();
        cluster.pass(5);
        assertThat(maps.master().view()).as("no empty map by itself").isNull();
        assertThat(maps.serves(1)).isFalse();
        assertThat(maps.master().trouble()).contains("restored from the stores");

        Restoration plan = maps.master().restore(true);
        assertThat(plan.view().members()).hasSize(3);
        assertThat(maps.master().view()).isNull();
        assertThat(maps.master().restore(false)).isEqualTo(plan);
        cluster.pass(3);
        for (int node = 1; node <= 3; node++) {
            assertThat(maps.read(node, "k").isOver).isTrue();
        }
        assertThat(maps.put(1, "k", "<new>").isOver).isTrue();
        cluster.pass(1);
        maps.judge().settled();
    }

    /** One of them was away for the last writes, and gets them. */
    @Test
    void aFounderThatMissedTheLastViewLearns() {
        cluster.node(1).crash();
        cluster.pass(4);
        assertThat(maps.put(2, "k", "<without n1>").isOver).isTrue();
        maps.master().loseDirectories();
        cluster.pass(3);
        assertThat(maps.master().restore(false).refusal()).contains("n1").contains("start");
        cluster.node(1).start();
        cluster.pass(1);

        assertThat(maps.master().restore(false).view().members()).hasSize(2);
        cluster.pass(4);
        assertThat(maps.master().view().members()).hasSize(3);
        maps.read(1, "k");
        maps.judge().settled();
    }

    /** Two of them were told of a view that never began, and run on with it. */
    @Test
    void whoWasToldOfAViewThatTheMasterForgotGoesOnInTheNewOne() {
        assertThat(maps.put(2, "k", "<old>").isOver).isTrue();
        cluster.cut(1, 2).cut(1, 3).cut(2, 3);
        maps.master().cutOff(cluster.node(1).id());
        cluster.pass(4);
        assertThat(maps.master().view().members()).hasSize(2);
        maps.master().loseDirectories();
        maps.master().heal();
        cluster.pass(4);
        assertThat(maps.master().restore(false).view().members()).hasSize(3);
        cluster.join().pass(1);

        assertThat(maps.put(2, "k", "<new>").isOver).isTrue();
        for (int node = 1; node <= 3; node++) {
            assertThat(maps.read(node, "k").isOver).isTrue();
        }
        cluster.pass(1);
        maps.judge().settled();
    }
}
