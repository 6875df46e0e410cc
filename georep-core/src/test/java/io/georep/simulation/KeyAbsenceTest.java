package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.core.KeyAudit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * What becomes of records and deletions of nodes that did not meet for a while, from their birth on or later, shorter or longer
 * than deletions are kept.
 */
class KeyAbsenceTest {
    private static final Duration KEPT = Duration.ofMinutes(2);

    private static KeyCluster cluster(int nodes) {
        return new KeyCluster(
                KeyCluster.Shape.of(1, nodes).settings(KeyWing.quick().deletionsKept(KEPT)));
    }

    private static int marks(KeyCluster cluster, int node) {
        return KeyAudit.marks(KeyWing.protocol(cluster.node(node)));
    }

    private static void assertEverywhere(KeyCluster cluster, String key, String value) {
        for (int node = 1; node <= cluster.nodes().size(); node++) {
            assertThat(cluster.value(node, key)).as("%s on node %s", key, node).isEqualTo(value);
        }
    }

    private static void assertDone(KeyJudge.Write write) {
        assertThat(write.answer).as("%s", write.cause).isEqualTo(KeyJudge.Answer.DONE);
    }

    /** Writes and deletes, so that this node has counted further than the others. */
    private static void deleteMuch(KeyCluster cluster, int node) {
        for (int i = 0; i < 50; i++) {
            assertDone(cluster.writeNow(node, 0, "of " + node, "v" + i));
        }
        assertDone(cluster.writeNow(node, 0, "of " + node, null));
        cluster.pass(2 * KEPT.toSeconds());
        assertThat(marks(cluster, node)).isZero();
    }

    private static void restart(KeyCluster cluster, int... nodes) {
        for (int node : nodes) {
            cluster.node(node).crash();
            cluster.pass(1);
            cluster.node(node).start();
            cluster.pass(10);
        }
    }

    @Test
    void aNodeThatWasAloneTakesNothingFromTheOthers() {
        KeyCluster cluster = cluster(4);
        cluster.cut(4, 1).cut(4, 2).cut(4, 3).start();
        assertDone(cluster.writeNow(1, 2, "kept", "v"));
        restart(cluster, 1, 2, 3);
        deleteMuch(cluster, 4);

        cluster.join().pass(30);

        assertEverywhere(cluster, "kept", "v");
        cluster.judge().settled();
    }

    @Test
    void halvesThatWereBornApartKeepWhatBothHave() {
        KeyCluster cluster = cluster(4);
        cluster.cut(1, 2).cut(1, 4).cut(3, 2).cut(3, 4).start();
        assertDone(cluster.writeNow(1, 1, "of the first", "v"));
        assertDone(cluster.writeNow(2, 1, "of the second", "v"));
        restart(cluster, 1, 3, 2, 4);
        deleteMuch(cluster, 4);

        cluster.join().pass(60);

        assertEverywhere(cluster, "of the first", "v");
        assertEverywhere(cluster, "of the second", "v");
        cluster.judge().settled();
    }

    @Test
    void whoWasAwayForLessThanDeletionsAreKeptBringsNothingBack() {
        KeyCluster cluster = cluster(3).start();
        assertDone(cluster.writeNow(1, 2, "k", "v", "kept", "v"));
        cluster.node(3).crash();
        cluster.pass(1);
        assertDone(cluster.writeNow(1, 1, "k", null));
        restart(cluster, 1, 2);
        cluster.pass(KEPT.toSeconds() - 40);
        assertThat(marks(cluster, 1)).isEqualTo(1);
        assertThat(marks(cluster, 2)).isEqualTo(1);

        cluster.node(3).start();
        cluster.pass(10);
        assertThat(marks(cluster, 3)).as("learnt with what is left of its time").isEqualTo(1);
        cluster.pass(30);

        assertEverywhere(cluster, "k", null);
        assertEverywhere(cluster, "kept", "v");
        cluster.judge().settled();
        cluster.judge().withoutMarks();
    }

    @Test
    void anOlderImageBringsNothingBackThatWasDeletedSince() {
        KeyCluster cluster = cluster(3).start();
        assertDone(cluster.writeNow(1, 2, "k", "v", "kept", "v"));
        cluster.pass(1);
        SimulatedDisk.Image image = cluster.node(3).disk().image();
        assertDone(cluster.writeNow(1, 2, "k", null));
        cluster.pass(20);

        cluster.node(3).crash();
        cluster.replaceStore(cluster.node(3), image);
        cluster.node(3).start();
        cluster.pass(30);

        assertEverywhere(cluster, "k", null);
        assertEverywhere(cluster, "kept", "v");
        cluster.judge().settled();
    }

    @Test
    void whoWasAwayForLongerTakesNothingFromAnybodyAndMayBringBackWhatWasDeleted() {
        KeyCluster cluster = cluster(3).start();
        assertDone(cluster.writeNow(1, 2, "k", "v", "kept", "v"));
        cluster.node(3).crash();
        cluster.pass(1);
        assertDone(cluster.writeNow(1, 1, "k", null, "new", "v"));
        cluster.pass(2 * KEPT.toSeconds());
        cluster.judge().withoutMarks();

        cluster.node(3).start();
        cluster.pass(30);

        assertEverywhere(cluster, "k", "v");
        assertEverywhere(cluster, "kept", "v");
        assertEverywhere(cluster, "new", "v");
        assertDone(cluster.writeNow(2, 1, "k", null));
        cluster.pass(10);
        assertEverywhere(cluster, "k", null);
    }

    @Test
    void aDroppedMarkLeavesTheClockBehindAlsoOverARestart() {
        KeyCluster cluster = cluster(2).start();
        cluster.cut(1, 2).pass(10);
        for (int i = 0; i < 20; i++) {
            assertDone(cluster.writeNow(2, 0, "k", "old " + i));
        }
        assertDone(cluster.writeNow(2, 0, "k", null));
        SimulatedDisk.Image marked = cluster.node(2).disk().image();
        cluster.join().pass(2 * KEPT.toSeconds());
        cluster.judge().withoutMarks();
        cluster.node(2).crash();
        restart(cluster, 1);

        assertDone(cluster.writeNow(1, 0, "k", "new"));
        cluster.node(2).clock().step(-KEPT.multipliedBy(2).toMillis());
        cluster.replaceStore(cluster.node(2), marked);
        cluster.node(2).start();
        cluster.pass(30);

        assertThat(marks(cluster, 2)).as("its wall clock is late").isZero();
        assertEverywhere(cluster, "k", "new");
    }
}
