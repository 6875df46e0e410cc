package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A full disk stops a member of the replicated maps, and not all of them (rule 20.19). */
class FunnelFullDiskTest {
    private SimulatedCluster cluster = FunnelWing.cluster(3);
    private FunnelWing maps = cluster.wing(FunnelWing.class);

    private List<NodeId> members() {
        return maps.master().view().members();
    }

    /** One in the middle, and the tail. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void writesGoOnWithoutTheMemberWhoseDiskIsFull(int full) {
        assertThat(maps.put(2, "k", "<before>").isOver).isTrue();
        cluster.node(full).disk().full(true);

        FunnelCall put = maps.put(2, "k", "<during>");

        assertThat(put.isOver && !put.isInDoubt)
                .as("within the time of a write")
                .isTrue();
        assertThat(members()).hasSize(2).doesNotContain(cluster.node(full).id());
        cluster.node(full).disk().full(false);
        cluster.pass(6);
        assertThat(members()).hasSize(3);
        assertThat(maps.put(full, "k", "<after>").isOver).isTrue();
        cluster.pass(1);
        maps.judge().settled();
    }

    /** With nobody left who could store there is nothing to win, and reads go on. */
    @Test
    void ifAllDisksAreFullAllMembersReadOn() {
        allMembersReadOn();
    }

    /** Nor do leases need the disks of the keepers. */
    @Test
    void ifTheDisksOfAllKeepersAreFullAllMembersReadOn() {
        cluster = FunnelWing.cluster(3, FunnelShape.of(3, 1).keepers(3)).start();
        maps = cluster.wing(FunnelWing.class);
        cluster.pass(5);
        allMembersReadOn();
    }

    private void allMembersReadOn() {
        assertThat(maps.put(2, "k", "<before>").isOver).isTrue();
        cluster.nodes().forEach(node -> node.disk().full(true));
        cluster.pass(10);

        assertThat(members()).hasSizeGreaterThan(0);
        for (NodeId member : members()) {
            int number = Integer.parseInt(member.value().substring(1));
            assertThat(maps.read(number, "k").isOver).isTrue();
        }
        cluster.nodes().forEach(node -> node.disk().full(false));
        cluster.pass(8);
        assertThat(members()).hasSize(3);
        assertThat(maps.put(1, "k", "<after>").isOver).isTrue();
        cluster.pass(1);
        maps.judge().settled();
    }
}
