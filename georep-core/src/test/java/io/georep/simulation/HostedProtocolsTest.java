package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.core.OutboxEvent;
import io.georep.tally.TallyProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A protocol of another kind lives beside the outbox, on the same membership, store and links. */
class HostedProtocolsTest {
    private static final int TALLY = 9;

    private NodesWithGuest cluster = cluster(1);

    private static NodesWithGuest cluster(long seed) {
        return new NodesWithGuest(seed, membership -> new TallyProtocol(TALLY, membership));
    }

    private void startThree() {
        for (int i = 1; i <= 3; i++) {
            cluster.start("n" + i, "n1:1");
        }
        cluster.world.run(5 * World.SECONDS);
    }

    private long known(int at, int of) {
        TallyProtocol tally = (TallyProtocol) cluster.guest(at);
        return tally.durableCounts().getOrDefault(cluster.nodes.get(of).id().value(), 0L);
    }

    @Test
    void bothProtocolsWorkAndSurviveACrash() {
        startThree();
        SimulatedNode first = cluster.nodes.get(0);

        first.command(TALLY, new TallyProtocol.Add(List.of("add")));
        cluster.put(0, 2);
        cluster.world.run(World.SECONDS);
        first.crash();
        first.start();
        cluster.world.run(5 * World.SECONDS);
        first.command(TALLY, new TallyProtocol.Add(List.of("add")));
        cluster.world.run(World.SECONDS);

        assertThat(cluster.told)
                .filteredOn(OutboxEvent.Stored.class::isInstance)
                .hasSize(1);
        assertThat(cluster.told)
                .contains(new TallyProtocol.Counted(List.of("add"), 1), new TallyProtocol.Counted(List.of("add"), 2));
        for (int at = 0; at < 3; at++) {
            assertThat(known(at, 0)).isEqualTo(2);
            assertThat(cluster.outbox(at).inspect().liveCount()).isEqualTo(1);
        }
    }

    @Test
    void whatAGuestWasToldToBeDurableIsThereAfterACrash() {
        for (long seed = 1; seed <= 20; seed++) {
            cluster = cluster(seed);
            cluster.start("n1", "n1:1");
            cluster.world.run(2 * World.SECONDS);
            SimulatedNode node = cluster.nodes.get(0);

            for (int life = 1; life <= 3; life++) {
                TallyProtocol.Counted counted = new TallyProtocol.Counted(List.of("add"), life);
                node.command(TALLY, new TallyProtocol.Add(List.of("add")));
                cluster.world.runUntil(() -> cluster.told.contains(counted), World.SECONDS);
                assertThat(cluster.told).contains(counted);
                node.crash();
                node.start();

                assertThat(known(0, 0)).as("seed %d", seed).isEqualTo(life);
            }
        }
    }
}
