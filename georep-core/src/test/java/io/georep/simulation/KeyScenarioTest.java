package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyAudit;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeIdentity;
import io.georep.model.RejectedException;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What happens to replicated records, step by step. Nodes 1 and 2 are of one site, 3 and 4 of another. */
class KeyScenarioTest {
    /** Nobody but those that confirm hears of a write for long. */
    private static final KeySpaceSettings SILENT =
            KeyWing.quick().times(Duration.ofSeconds(4), Duration.ofHours(1), Duration.ofHours(1));

    private SimulatedCluster cluster;
    private KeyWing keys;

    private void cluster(int nodes) {
        cluster(nodes, KeyWing.quick());
    }

    private void cluster(int nodes, KeySpaceSettings settings) {
        cluster = KeyWing.cluster(nodes, settings).start();
        keys = cluster.wing(KeyWing.class);
    }

    private static void assertDone(KeyJudge.Write write) {
        assertThat(write.answer).as("%s", write.cause).isEqualTo(KeyJudge.Answer.DONE);
    }

    @Test
    void aWriteIsConfirmedInAnotherSiteAndPassedOnToTheRest() {
        cluster(3, SILENT);
        assertDone(keys.writeNow(1, 1, "k", "v"));
        assertThat(keys.value(3, "k")).isEqualTo("v");
        assertThat(keys.value(2, "k")).as("of the same site").isNull();

        cluster(3);
        assertDone(keys.writeNow(1, 1, "k", "v"));
        cluster.pass(1);
        assertThat(keys.value(2, "k")).isEqualTo("v");
        keys.judge().settled();
    }

    @Test
    void theLaterWriterWinsOnBothSidesOfAPartition() {
        cluster(4);
        assertDone(keys.writeNow(1, 1, "k", "before"));
        cluster.pass(1).cut(1, 3).cut(1, 4).cut(2, 3).cut(2, 4).pass(20);

        assertDone(keys.writeNow(1, 1, "k", "west"));
        assertDone(keys.writeNow(3, 1, "k", "east"));
        assertDone(keys.writeNow(1, 1, "other", "west"));
        cluster.join().pass(30);

        for (int node = 1; node <= 4; node++) {
            assertThat(keys.value(node, "k"))
                    .as("of equal epochs that of the greater node")
                    .isEqualTo("east");
            assertThat(keys.value(node, "other")).isEqualTo("west");
        }
        keys.judge().settled();
    }

    @Test
    void aWriterThatLostItsStoreWinsOverWhatWasWrittenBefore() {
        cluster(2, SILENT);
        for (int i = 0; i < 20; i++) {
            assertDone(keys.writeNow(1, 1, "k", "old " + i));
        }
        cluster.node(1).crash();
        cluster.replaceStore(cluster.node(1), null);
        cluster.node(1).start();
        KeyJudge.Write[] write = new KeyJudge.Write[1];
        cluster.world()
                .runUntil(
                        () -> {
                            if (write[0] == null || write[0].answer == KeyJudge.Answer.FAILED) {
                                write[0] = keys.write(1, 1, "k", "new");
                            }
                            return write[0].answer == KeyJudge.Answer.DONE;
                        },
                        20 * World.SECONDS);

        assertDone(write[0]);
        cluster.pass(30);
        assertThat(keys.value(1, "k")).isEqualTo("new");
        assertThat(keys.value(2, "k")).isEqualTo("new");
    }

    @Test
    void aNodeThatIsNotAskedBecauseItIsDrainedGetsEverythingAllTheSame() {
        cluster(3);
        cluster.node(1)
                .command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.Drain(cluster.node(3).id(), true));
        cluster.pass(5);

        KeyJudge.Write both = keys.writeNow(1, 2, "k", "v");
        assertThat(both.cause).isInstanceOf(RejectedException.class).hasMessageContaining("only 1");
        assertDone(keys.writeNow(1, 1, "k", "v"));
        assertDone(keys.writeNow(3, 1, "mine", "v"));

        cluster.pass(3);
        assertThat(keys.value(3, "k")).isEqualTo("v");
        keys.judge().settled();
    }

    @Test
    void whatNobodyConfirmsInTimeIsPassedOnLater() {
        cluster(2);
        cluster.way(1, 2).clog();

        KeyJudge.Write write = keys.writeNow(1, 1, "k", "v");
        assertThat(write.cause)
                .isInstanceOf(IndeterminateException.class)
                .hasMessageContaining("confirmed by 0 of 1 other nodes");

        cluster.join().pass(30);
        assertThat(keys.value(2, "k")).isEqualTo("v");
        keys.judge().settled();
    }

    @Test
    void anotherNodeConfirmsWhenTheFirstIsGone() {
        cluster(3);
        KeyJudge.Write write = keys.write(1, 1, "k", "v");
        cluster.node(3).crash();

        cluster.world().runUntil(() -> write.answer != KeyJudge.Answer.OPEN, 5 * World.SECONDS);

        assertDone(write);
        assertThat(keys.value(2, "k")).isEqualTo("v");
    }

    @Test
    void comparingCostsWhatDiffersAndNotWhatIsThere() {
        cluster(2);
        for (int i = 0; i < 3000; i += 50) {
            String[] records = new String[100];
            for (int k = 0; k < 50; k++) {
                records[2 * k] = "key " + (i + k);
                records[2 * k + 1] = "value ".repeat(20);
            }
            keys.write(1, 1, records);
            cluster.pass(0.05);
        }
        cluster.pass(10);
        keys.judge().settled();
        cluster.cut(1, 2).pass(20);
        assertDone(keys.writeNow(1, 0, "key 17", "other"));
        AtomicLong bytes = new AtomicLong();
        AtomicLong largest = new AtomicLong();
        long before = KeyAudit.taken(KeyWing.protocol(cluster.node(2)));

        tap(bytes, largest);
        cluster.join().pass(10);

        assertThat(keys.value(2, "key 17")).isEqualTo("other");
        assertThat(KeyAudit.taken(KeyWing.protocol(cluster.node(2))) - before).isEqualTo(1);
        assertThat(bytes.get()).as("of 400 kB there are").isLessThan(12_000);
    }

    @Test
    void aNewNodeGetsEverythingInPartsOfBoundedSize() {
        cluster(3);
        cluster.node(3).crash();
        cluster.replaceStore(cluster.node(3), null);
        String value = "v".repeat(30_000);
        for (int i = 0; i < 100; i++) {
            keys.write(1, 1, "key " + i, value);
            cluster.pass(0.1);
        }
        AtomicLong bytes = new AtomicLong();
        AtomicLong largest = new AtomicLong();

        tap(bytes, largest);
        cluster.node(3).start();
        cluster.pass(30);

        assertThat(bytes.get()).isBetween(3_000_000L, 4_000_000L);
        assertThat(largest.get()).isLessThan(200_000);
        keys.judge().settled();
    }

    private void tap(AtomicLong bytes, AtomicLong largest) {
        cluster.network().tap((NodeIdentity from, NodeIdentity to, byte[] frame) -> {
            bytes.addAndGet(frame.length);
            largest.accumulateAndGet(frame.length, Math::max);
        });
    }
}
