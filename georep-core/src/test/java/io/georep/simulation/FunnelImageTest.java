package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.linear.Operation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk is copied while its node runs. The node goes on, acknowledges more, dies, and begins again with the copy. Nothing in the
 * copy says that it is older (rule 20.20).
 */
class FunnelImageTest {
    private final SimulatedCluster cluster = FunnelWing.cluster(3);
    private final FunnelWing maps = cluster.wing(FunnelWing.class);

    private SimulatedDisk.Image imageBeforeTheWrite(int number) {
        assertThat(maps.put(2, "k", "<before>").isOver).isTrue();
        cluster.pass(0.5);
        SimulatedDisk.Image image = cluster.node(number).disk().image();
        assertThat(maps.put(2, "k", "<acknowledged>").isOver).isTrue();
        return image;
    }

    private void crash(int number, SimulatedDisk.Image image) {
        cluster.node(number).crash();
        if (image != null) {
            cluster.replaceStore(cluster.node(number), image);
        }
    }

    private void allServe() {
        cluster.pass(8);
        for (SimulatedNode node : cluster.nodes()) {
            assertThat(maps.serves(cluster.nodes().indexOf(node) + 1))
                    .as(node + "")
                    .isTrue();
        }
        maps.judge().settled();
    }

    /** The first one, and the tail. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void whileOthersRunItGetsWhatItMisses(int old) {
        crash(old, imageBeforeTheWrite(old));
        cluster.node(old).start();
        cluster.pass(2);

        assertThat(maps.read(old, "k").isOver).isTrue();
        allServe();
    }

    /** The others die before it has heard of them, and stay away. */
    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1", "2, 3"})
    void aloneItDoesNotServe(int old, int next) {
        SimulatedDisk.Image image = imageBeforeTheWrite(old);
        for (int number = 1; number <= 3; number++) {
            crash(number, number == old ? image : null);
        }
        cluster.node(old).start();
        for (int i = 0; i < 10; i++) {
            cluster.pass(1);
            assertThat(maps.serves(old)).isFalse();
            assertThat(maps.read(old, "k").isOver).isFalse();
        }
        assertThat(maps.master().waitsFor()).contains("start its node with an empty one");

        cluster.node(next).start();
        cluster.pass(6);
        assertThat(maps.serves(old)).as("one of two has everything").isTrue();
        assertThat(maps.master().view().members()).hasSize(2);
        maps.read(old, "k");
        cluster.node(6 - old - next).start();
        allServe();
    }

    /** The machine of one of the others does not come back. */
    @Test
    void anEmptyStoreInThePlaceOfALostOneEndsTheWait() {
        assertThat(maps.put(2, "k", "<before>").isOver).isTrue();
        List.of(1, 2, 3).forEach(number -> crash(number, null));
        cluster.node(1).start();
        cluster.pass(5);
        assertThat(maps.serves(1)).isFalse();

        for (int number : new int[] {2, 3}) {
            cluster.replaceStore(cluster.node(number), null);
            cluster.node(number).start();
        }
        allServe();
        assertThat(maps.read(3, "k").isOver).isTrue();
    }

    /** The copy is of the process before the last one. */
    @Test
    void anImageOfAnEarlierBootGetsWhatItMisses() {
        SimulatedDisk.Image image = imageBeforeTheWrite(1);
        crash(1, null);
        cluster.node(1).start();
        cluster.pass(3);
        assertThat(maps.put(3, "k", "<newest>").isOver).isTrue();
        List.of(1, 2, 3).forEach(number -> crash(number, number == 1 ? image : null));
        cluster.node(1).start();
        cluster.pass(6);
        assertThat(maps.serves(1)).isFalse();

        cluster.node(2).start();
        cluster.node(3).start();
        allServe();
    }

    /** A removal that the image does not know of was forgotten by all others. */
    @Test
    void whatWasRemovedSinceDoesNotComeBack() {
        SimulatedDisk.Image image = imageBeforeTheWrite(1);
        assertThat(maps.doNow(2, new FunnelCall(Kind.REMOVE, "k", null, null)).isOver)
                .isTrue();
        for (int i = 0; i < 5; i++) {
            maps.put(2, "other", "<" + i + ">");
            cluster.pass(0.5);
        }
        List.of(1, 2, 3).forEach(number -> crash(number, number == 1 ? image : null));
        cluster.node(1).start();
        cluster.node(2).start();
        cluster.pass(6);
        maps.read(1, "k");
        cluster.node(3).start();
        allServe();
    }
}
