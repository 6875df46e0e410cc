package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A full disk stops a member of the replicated maps, and not all of them (rule 20.19). */
class FunnelFullDiskTest {
    private final FunnelCluster cluster = new FunnelCluster(FunnelCluster.Shape.of(11, 3)).start();

    private List<NodeId> members() {
        return cluster.master().view().members();
    }

    /** One in the middle, and the tail. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void writesGoOnWithoutTheMemberWhoseDiskIsFull(int full) {
        assertThat(cluster.put(2, "k", "<before>").isOver).isTrue();
        cluster.node(full).disk().full(true);

        FunnelCall put = cluster.put(2, "k", "<during>");

        assertThat(put.isOver && !put.isInDoubt)
                .as("within the time of a write")
                .isTrue();
        assertThat(members()).hasSize(2).doesNotContain(cluster.node(full).id());
        cluster.node(full).disk().full(false);
        cluster.pass(6);
        assertThat(members()).hasSize(3);
        assertThat(cluster.put(full, "k", "<after>").isOver).isTrue();
        cluster.pass(1).judge().settled();
    }

    /** With nobody left who could store there is nothing to win, and reads go on. */
    @Test
    void ifAllDisksAreFullAllMembersReadOn() {
        assertThat(cluster.put(2, "k", "<before>").isOver).isTrue();
        cluster.nodes().forEach(node -> node.disk().full(true));
        cluster.pass(10);

        assertThat(members()).hasSizeGreaterThan(0);
        for (NodeId member : members()) {
            int number = Integer.parseInt(member.value().substring(1));
            assertThat(cluster.read(number, "k").isOver).isTrue();
        }
        cluster.nodes().forEach(node -> node.disk().full(false));
        cluster.pass(8);
        assertThat(members()).hasSize(3);
        assertThat(cluster.put(1, "k", "<after>").isOver).isTrue();
        cluster.pass(1).judge().settled();
    }
}
