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

    private SimulatedCluster cluster;
    private KeyWing keys;

    private SimulatedCluster cluster(int nodes) {
        cluster = KeyWing.cluster(nodes, KeyWing.quick().deletionsKept(KEPT));
        keys = cluster.wing(KeyWing.class);
        return cluster;
    }

    private int marks(int node) {
        return KeyAudit.marks(KeyWing.protocol(cluster.node(node)));
    }

    private void assertEverywhere(String key, String value) {
        for (int node = 1; node <= cluster.nodes().size(); node++) {
            assertThat(keys.value(node, key)).as("%s on node %s", key, node).isEqualTo(value);
        }
    }

    private static void assertDone(KeyJudge.Write write) {
        assertThat(write.answer).as("%s", write.cause).isEqualTo(KeyJudge.Answer.DONE);
    }

    /** Writes and deletes, so that this node has counted further than the others. */
    private void deleteMuch(int node) {
        for (int i = 0; i < 50; i++) {
            assertDone(keys.writeNow(node, 0, "of " + node, "v" + i));
        }
        assertDone(keys.writeNow(node, 0, "of " + node, null));
        cluster.pass(2 * KEPT.toSeconds());
        assertThat(marks(node)).isZero();
    }

    private void restart(int... nodes) {
        for (int node : nodes) {
            cluster.node(node).crash();
            cluster.pass(1);
            cluster.node(node).start();
            cluster.pass(10);
        }
    }

    @Test
    void aNodeThatWasAloneTakesNothingFromTheOthers() {
        cluster(4);
        cluster.cut(4, 1).cut(4, 2).cut(4, 3).start();
        assertDone(keys.writeNow(1, 2, "kept", "v"));
        restart(1, 2, 3);
        deleteMuch(4);

        cluster.join().pass(30);

        assertEverywhere("kept", "v");
        keys.judge().settled();
    }

    @Test
    void halvesThatWereBornApartKeepWhatBothHave() {
        cluster(4);
        cluster.cut(1, 2).cut(1, 4).cut(3, 2).cut(3, 4).start();
        assertDone(keys.writeNow(1, 1, "of the first", "v"));
        assertDone(keys.writeNow(2, 1, "of the second", "v"));
        restart(1, 3, 2, 4);
        deleteMuch(4);

        cluster.join().pass(60);

        assertEverywhere("of the first", "v");
        assertEverywhere("of the second", "v");
        keys.judge().settled();
    }

    @Test
    void whoWasAwayForLessThanDeletionsAreKeptBringsNothingBack() {
        cluster(3).start();
        assertDone(keys.writeNow(1, 2, "k", "v", "kept", "v"));
        cluster.node(3).crash();
        cluster.pass(1);
        assertDone(keys.writeNow(1, 1, "k", null));
        restart(1, 2);
        cluster.pass(KEPT.toSeconds() - 40);
        assertThat(marks(1)).isEqualTo(1);
        assertThat(marks(2)).isEqualTo(1);

        cluster.node(3).start();
        cluster.pass(10);
        assertThat(marks(3)).as("learnt with what is left of its time").isEqualTo(1);
        cluster.pass(30);

        assertEverywhere("k", null);
        assertEverywhere("kept", "v");
        keys.judge().settled();
        keys.judge().withoutMarks();
    }

    @Test
    void anOlderImageBringsNothingBackThatWasDeletedSince() {
        cluster(3).start();
        assertDone(keys.writeNow(1, 2, "k", "v", "kept", "v"));
        cluster.pass(1);
        SimulatedDisk.Image image = cluster.node(3).disk().image();
        assertDone(keys.writeNow(1, 2, "k", null));
        cluster.pass(20);

        cluster.node(3).crash();
        cluster.replaceStore(cluster.node(3), image);
        cluster.node(3).start();
        cluster.pass(30);

        assertEverywhere("k", null);
        assertEverywhere("kept", "v");
        keys.judge().settled();
    }

    @Test
    void whoWasAwayForLongerTakesNothingFromAnybodyAndMayBringBackWhatWasDeleted() {
        cluster(3).start();
        assertDone(keys.writeNow(1, 2, "k", "v", "kept", "v"));
        cluster.node(3).crash();
        cluster.pass(1);
        assertDone(keys.writeNow(1, 1, "k", null, "new", "v"));
        cluster.pass(2 * KEPT.toSeconds());
        keys.judge().withoutMarks();

        cluster.node(3).start();
        cluster.pass(30);

        assertEverywhere("k", "v");
        assertEverywhere("kept", "v");
        assertEverywhere("new", "v");
        assertDone(keys.writeNow(2, 1, "k", null));
        cluster.pass(10);
        assertEverywhere("k", null);
    }

    @Test
    void aDroppedMarkLeavesTheClockBehindAlsoOverARestart() {
        cluster(2).start();
        cluster.cut(1, 2).pass(10);
        for (int i = 0; i < 20; i++) {
            assertDone(keys.writeNow(2, 0, "k", "old " + i));
        }
        assertDone(keys.writeNow(2, 0, "k", null));
        SimulatedDisk.Image marked = cluster.node(2).disk().image();
        cluster.join().pass(2 * KEPT.toSeconds());
        keys.judge().withoutMarks();
        cluster.node(2).crash();
        restart(1);

        assertDone(keys.writeNow(1, 0, "k", "new"));
        cluster.node(2).clock().step(-KEPT.multipliedBy(2).toMillis());
        cluster.replaceStore(cluster.node(2), marked);
        cluster.node(2).start();
        cluster.pass(30);

        assertThat(marks(2)).as("its wall clock is late").isZero();
        assertEverywhere("k", "new");
    }
}
