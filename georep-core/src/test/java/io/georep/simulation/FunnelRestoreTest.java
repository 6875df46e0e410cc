package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster.Restoration;
import org.junit.jupiter.api.Test;

/** The peers of the master lost their directories, and the stores of the nodes are whole (rule 20.23). */
class FunnelRestoreTest {
    private final FunnelCluster cluster = new FunnelCluster(FunnelCluster.Shape.of(29, 3)).start();

    @Test
    void anOrderRestoresTheViewFromTheStores() {
        assertThat(cluster.put(2, "k", "<kept>").isOver).isTrue();
        cluster.master().loseDirectories();
        cluster.pass(5);
        assertThat(cluster.master().view()).as("no empty map by itself").isNull();
        assertThat(cluster.serves(1)).isFalse();
        assertThat(cluster.master().trouble()).contains("restored from the stores");

        Restoration plan = cluster.master().restore(true);
        assertThat(plan.view().members()).hasSize(3);
        assertThat(cluster.master().view()).isNull();
        assertThat(cluster.master().restore(false)).isEqualTo(plan);
        cluster.pass(3);
        for (int node = 1; node <= 3; node++) {
            assertThat(cluster.read(node, "k").isOver).isTrue();
        }
        assertThat(cluster.put(1, "k", "<new>").isOver).isTrue();
        cluster.pass(1).judge().settled();
    }

    /** One of them was away for the last writes, and gets them. */
    @Test
    void aFounderThatMissedTheLastViewLearns() {
        cluster.node(1).crash();
        cluster.pass(4);
        assertThat(cluster.put(2, "k", "<without n1>").isOver).isTrue();
        cluster.master().loseDirectories();
        cluster.pass(3);
        assertThat(cluster.master().restore(false).refusal()).contains("n1").contains("start");
        cluster.node(1).start();
        cluster.pass(1);

        assertThat(cluster.master().restore(false).view().members()).hasSize(2);
        cluster.pass(4);
        assertThat(cluster.master().view().members()).hasSize(3);
        cluster.read(1, "k");
        cluster.judge().settled();
    }
}
