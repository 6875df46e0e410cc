package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.tally.TallyProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A protocol of another kind lives beside the outbox, on the same membership, store and links. */
class HostedProtocolsTest {
    private static final int TALLY = 9;

    private final Guest tally = new Guest(membership -> List.of(new TallyProtocol(TALLY, membership)));
    private SimulatedCluster cluster;

    private void add() {
        cluster.node(1).command(TALLY, new TallyProtocol.Add(List.of("add")));
    }

    private long known(int at) {
        return Machines.protocol(cluster.node(at), TallyProtocol.class)
                .durableCounts()
                .getOrDefault("n1", 0L);
    }

    @Test
    void bothProtocolsWorkAndSurviveACrash() {
        cluster = tally.besideOutboxes(1, 3).start();
        OutboxWing outbox = cluster.wing(OutboxWing.class);

        add();
        History.Put put = outbox.put(outbox.hosts().get(0), 2);
        cluster.pass(1);
        cluster.node(1).crash();
        cluster.start();
        add();
        cluster.pass(1);

        assertThat(put.answer).isEqualTo(History.Answer.STORED);
        assertThat(tally.told)
                .contains(new TallyProtocol.Counted(List.of("add"), 1), new TallyProtocol.Counted(List.of("add"), 2));
        for (int at = 1; at <= 3; at++) {
            assertThat(known(at)).isEqualTo(2);
            assertThat(outbox.hosts().get(at - 1).view().liveCount()).isEqualTo(1);
        }
    }

    @Test
    void whatAGuestWasToldToBeDurableIsThereAfterACrash() {
        for (long seed = 1; seed <= 20; seed++) {
            cluster = tally.besideOutboxes(seed, 1).start();
            tally.told.clear();

            for (int life = 1; life <= 3; life++) {
                TallyProtocol.Counted counted = new TallyProtocol.Counted(List.of("add"), life);
                add();
                cluster.world().runUntil(() -> tally.told.contains(counted), World.SECONDS);
                assertThat(tally.told).contains(counted);
                cluster.node(1).crash();
                cluster.node(1).start();

                assertThat(known(1)).as("seed %d", seed).isEqualTo(life);
            }
        }
    }
}
