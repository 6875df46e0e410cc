package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.linear.Operation.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The monotonic clock of a machine stands still while it is suspended, and its lease ends all the same (rule 20.21). */
class FunnelSuspendTest {
    private final SimulatedCluster cluster = FunnelWing.cluster(3);
    private final FunnelWing maps = cluster.wing(FunnelWing.class);

    /** One in the middle, and the tail. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aMachineThatWasSuspendedReadsNothingOld(int suspended) {
        assertThat(maps.put(suspended, "k", "<old>").isOver).isTrue();
        cluster.node(suspended).suspend(false);
        assertThat(maps.put(2, "k", "<new>").isOver).isTrue();

        cluster.node(suspended).resume();
        maps.judge().attempt(new FunnelCall(Kind.READ, "k", null, null), cluster.node(suspended));
        cluster.pass(8);
        maps.judge().settled();
        assertThat(maps.read(suspended, "k").isOver).isTrue();
    }

    /** The same when all stood still, and the wall clock is put right at the end, as when a hypervisor resumes a machine. */
    @Test
    void aMachineThatWasStoppedReadsNothingOldOnceItsWallClockIsRight() {
        assertThat(maps.put(1, "k", "<old>").isOver).isTrue();
        cluster.node(1).suspend(true);
        assertThat(maps.put(2, "k", "<new>").isOver).isTrue();

        cluster.node(1).clock().wake();
        cluster.node(1).clock().step(4_000);
        cluster.node(1).resume();
        maps.judge().attempt(new FunnelCall(Kind.READ, "k", null, null), cluster.node(1));
        cluster.pass(8);
        maps.judge().settled();
    }

    /** A step of the wall clock looks like that: reads stop, until the master has been asked again. */
    @ParameterizedTest
    @CsvSource({"1, 3600000", "1, -3600000", "3, 500", "3, -500"})
    void aStepOfTheWallClockCostsReadsForAMoment(int stepped, long millis) {
        assertThat(maps.put(1, "k", "<old>").isOver).isTrue();
        cluster.node(stepped).clock().step(millis);

        assertThat(maps.serves(stepped)).isFalse();
        cluster.pass(0.5);
        assertThat(maps.serves(stepped)).isTrue();
        FunnelCall put = maps.put(1, "k", "<new>");
        assertThat(put.isOver && !put.isInDoubt).isTrue();
        cluster.pass(1);
        maps.judge().settled();
    }
}
