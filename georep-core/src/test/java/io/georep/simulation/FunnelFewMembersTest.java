package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.linear.Operation.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With fewer members than more than half of the founders the maps are read, and nothing is acknowledged (rule 20.22). */
class FunnelFewMembersTest {
    private final SimulatedCluster cluster = FunnelWing.cluster(3);
    private final FunnelWing maps = cluster.wing(FunnelWing.class);

    @Test
    void theLastMemberIsReadAndAcknowledgesNothing() {
        assertThat(maps.put(3, "k", "<before>").isOver).isTrue();
        cluster.node(1).crash();
        cluster.node(2).crash();
        cluster.pass(4);

        assertThat(maps.master().view().members()).hasSize(3);
        assertThat(maps.read(3, "k").isOver).isTrue();
        FunnelCall put = maps.put(3, "k", "<alone>");
        assertThat(put.isOver || put.isInDoubt).as("refused at once").isFalse();
        assertThat(maps.judge().toString()).contains("TOO_FEW_MEMBERS");

        cluster.node(1).start();
        cluster.pass(3);
        assertThat(maps.put(3, "k", "<together>").isOver).isTrue();
        assertThat(maps.master().view().members()).hasSize(2);
        cluster.node(2).start();
        cluster.pass(6);
        maps.judge().settled();
    }

    /** What was under way when the others died waits for them: it is committed when it has its copies. */
    @Test
    void aWriteThatWasUnderWayHasItsCopiesWhenItIsAnswered() {
        cluster.node(1).crash();
        cluster.node(2).crash();
        FunnelCall put = new FunnelCall(Kind.PUT, "k", "<under way>", null);
        maps.judge().attempt(put, cluster.node(3));
        cluster.pass(3);
        assertThat(put.isOver).isFalse();

        cluster.node(1).start();
        cluster.node(2).start();
        cluster.pass(8);
        maps.judge().settled();
        assertThat(maps.master().view().members()).hasSize(3);
    }

    /** One is away, and the master goes on without it; another one dies before the others are active: two of three live. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void whoWasAwayTakesThePlaceOfOneThatDied(int dies) {
        int stays = 5 - dies;
        assertThat(maps.put(3, "k", "<before>").isOver).isTrue();
        cluster.node(1).crash();
        assertThat(cluster.world().runUntil(() -> views() == 2, 20 * World.SECONDS))
                .isTrue();
        cluster.node(dies).crash();
        cluster.bury(cluster.node(dies));
        cluster.pass(8);
        assertThat(maps.put(stays, "k", "<alone>").isOver).isFalse();

        cluster.node(1).start();
        cluster.pass(8);
        assertThat(maps.master().view().members())
                .containsExactly(cluster.node(1).id(), cluster.node(stays).id());
        assertThat(maps.read(1, "k").isOver).isTrue();
        assertThat(maps.put(1, "k", "<after>").isOver).isTrue();
        cluster.pass(1);
        maps.judge().settled();
    }

    private long views() {
        return maps.master().view().number();
    }
}
