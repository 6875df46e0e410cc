package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyAudit;
import io.georep.keys.core.KeyProtocol;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeIdentity;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxCommand;
import io.georep.outbox.core.OutboxEvent;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What happens to replicated records, step by step. Nodes 1 and 2 are of one site, 3 and 4 of another. */
class KeyScenarioTest {
    /** Nobody but those that confirm hears of a write for long. */
    private static final KeySpaceSettings SILENT =
            KeyWing.quick().times(Duration.ofSeconds(4), Duration.ofHours(1), Duration.ofHours(1));

    private static KeyCluster cluster(int nodes) {
        return new KeyCluster(KeyCluster.Shape.of(1, nodes)).start();
    }

    private static KeyCluster cluster(int nodes, KeySpaceSettings settings) {
        return new KeyCluster(KeyCluster.Shape.of(1, nodes).settings(settings)).start();
    }

    private static void assertDone(KeyJudge.Write write) {
        assertThat(write.answer).as("%s", write.cause).isEqualTo(KeyJudge.Answer.DONE);
    }

    @Test
    void aWriteIsConfirmedInAnotherSiteAndPassedOnToTheRest() {
        KeyCluster cluster = cluster(3, SILENT);
        assertDone(cluster.writeNow(1, 1, "k", "v"));
        assertThat(cluster.value(3, "k")).isEqualTo("v");
        assertThat(cluster.value(2, "k")).as("of the same site").isNull();

        KeyCluster spreading = cluster(3);
        assertDone(spreading.writeNow(1, 1, "k", "v"));
        spreading.pass(1);
        assertThat(spreading.value(2, "k")).isEqualTo("v");
        spreading.judge().settled();
    }

    @Test
    void theLaterWriterWinsOnBothSidesOfAPartition() {
        KeyCluster cluster = cluster(4);
        assertDone(cluster.writeNow(1, 1, "k", "before"));
        cluster.pass(1).cut(1, 3).cut(1, 4).cut(2, 3).cut(2, 4).pass(20);

        assertDone(cluster.writeNow(1, 1, "k", "west"));
        assertDone(cluster.writeNow(3, 1, "k", "east"));
        assertDone(cluster.writeNow(1, 1, "other", "west"));
        cluster.join().pass(30);

        for (int node = 1; node <= 4; node++) {
            assertThat(cluster.value(node, "k"))
                    .as("of equal epochs that of the greater node")
                    .isEqualTo("east");
            assertThat(cluster.value(node, "other")).isEqualTo("west");
        }
        cluster.judge().settled();
    }

    @Test
    void aWriterThatLostItsStoreWinsOverWhatWasWrittenBefore() {
        KeyCluster cluster = cluster(2, SILENT);
        for (int i = 0; i < 20; i++) {
            assertDone(cluster.writeNow(1, 1, "k", "old " + i));
        }
        cluster.node(1).crash();
        cluster.replaceStore(cluster.node(1), null);
        cluster.node(1).start();
        KeyJudge.Write[] write = new KeyJudge.Write[1];
        cluster.world()
                .runUntil(
                        () -> {
                            if (write[0] == null || write[0].answer == KeyJudge.Answer.FAILED) {
                                write[0] = cluster.write(1, 1, "k", "new");
                            }
                            return write[0].answer == KeyJudge.Answer.DONE;
                        },
                        20 * World.SECONDS);

        assertDone(write[0]);
        cluster.pass(30);
        assertThat(cluster.value(1, "k")).isEqualTo("new");
        assertThat(cluster.value(2, "k")).isEqualTo("new");
    }

    @Test
    void aNodeThatIsNotAskedBecauseItIsDrainedGetsEverythingAllTheSame() {
        KeyCluster cluster = cluster(3);
        cluster.node(1)
                .command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.Drain(cluster.node(3).id(), true));
        cluster.pass(5);

        KeyJudge.Write both = cluster.writeNow(1, 2, "k", "v");
        assertThat(both.cause).isInstanceOf(RejectedException.class).hasMessageContaining("only 1");
        assertDone(cluster.writeNow(1, 1, "k", "v"));
        assertDone(cluster.writeNow(3, 1, "mine", "v"));

        cluster.pass(3);
        assertThat(cluster.value(3, "k")).isEqualTo("v");
        cluster.judge().settled();
    }

    @Test
    void whatNobodyConfirmsInTimeIsPassedOnLater() {
        KeyCluster cluster = cluster(2);
        cluster.way(1, 2).clog();

        KeyJudge.Write write = cluster.writeNow(1, 1, "k", "v");
        assertThat(write.cause)
                .isInstanceOf(IndeterminateException.class)
                .hasMessageContaining("confirmed by 0 of 1 other nodes");

        cluster.join().pass(30);
        assertThat(cluster.value(2, "k")).isEqualTo("v");
        cluster.judge().settled();
    }

    @Test
    void anotherNodeConfirmsWhenTheFirstIsGone() {
        KeyCluster cluster = cluster(3);
        KeyJudge.Write write = cluster.write(1, 1, "k", "v");
        cluster.node(3).crash();

        cluster.world().runUntil(() -> write.answer != KeyJudge.Answer.OPEN, 5 * World.SECONDS);

        assertDone(write);
        assertThat(cluster.value(2, "k")).isEqualTo("v");
    }

    @Test
    void comparingCostsWhatDiffersAndNotWhatIsThere() {
        KeyCluster cluster = cluster(2);
        for (int i = 0; i < 3000; i += 50) {
            String[] records = new String[100];
            for (int k = 0; k < 50; k++) {
                records[2 * k] = "key " + (i + k);
                records[2 * k + 1] = "value ".repeat(20);
            }
            cluster.write(1, 1, records);
            cluster.pass(0.05);
        }
        cluster.pass(10);
        cluster.judge().settled();
        cluster.cut(1, 2).pass(20);
        assertDone(cluster.writeNow(1, 0, "key 17", "other"));
        AtomicLong bytes = new AtomicLong();
        AtomicLong largest = new AtomicLong();
        long before = KeyAudit.taken(KeyWing.protocol(cluster.node(2)));

        tap(cluster, bytes, largest);
        cluster.join().pass(10);

        assertThat(cluster.value(2, "key 17")).isEqualTo("other");
        assertThat(KeyAudit.taken(KeyWing.protocol(cluster.node(2))) - before).isEqualTo(1);
        assertThat(bytes.get()).as("of 400 kB there are").isLessThan(12_000);
    }

    @Test
    void aNewNodeGetsEverythingInPartsOfBoundedSize() {
        KeyCluster cluster = cluster(3);
        cluster.node(3).crash();
        cluster.replaceStore(cluster.node(3), null);
        String value = "v".repeat(30_000);
        for (int i = 0; i < 100; i++) {
            cluster.write(1, 1, "key " + i, value);
            cluster.pass(0.1);
        }
        AtomicLong bytes = new AtomicLong();
        AtomicLong largest = new AtomicLong();

        tap(cluster, bytes, largest);
        cluster.node(3).start();
        cluster.pass(30);

        assertThat(bytes.get()).isBetween(3_000_000L, 4_000_000L);
        assertThat(largest.get()).isLessThan(200_000);
        cluster.judge().settled();
    }

    private static void tap(KeyCluster cluster, AtomicLong bytes, AtomicLong largest) {
        cluster.network().tap((NodeIdentity from, NodeIdentity to, byte[] frame) -> {
            bytes.addAndGet(frame.length);
            largest.accumulateAndGet(frame.length, Math::max);
        });
    }

    @Test
    void theOutboxBesideThemWorks() {
        KeyCluster cluster = new KeyCluster(KeyCluster.Shape.of(1, 3)
                        .beside((config, membership) ->
                                List.of(new OutboxProtocol(config, membership, PeerSelection.random()))))
                .start();

        assertDone(cluster.writeNow(1, 1, "k", "v"));
        cluster.node(1)
                .command(
                        OutboxProtocol.CHANNEL,
                        new OutboxCommand.PutAll(
                                List.of(new OutboxCommand.Put("q", 2, Slice.of(new byte[] {1}), "put"))));
        cluster.pass(5);

        assertThat(cluster.told())
                .filteredOn(OutboxEvent.Stored.class::isInstance)
                .hasSize(1);
        for (SimulatedNode node : cluster.nodes()) {
            OutboxProtocol outbox = (OutboxProtocol) node.protocols().others().get(1);
            assertThat(outbox.inspect().liveCount()).isEqualTo(1);
            assertThat(node.protocols().others().get(0)).isInstanceOf(KeyProtocol.class);
        }
        cluster.judge().settled();
    }
}
