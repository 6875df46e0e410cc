package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxCommand;
import io.georep.outbox.core.OutboxEvent;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.PeerSelection;
import io.georep.tally.TallyProtocol;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A protocol of another kind lives beside the outbox, on the same membership, store and links. */
class HostedProtocolsTest {
    private static final int TALLY = 9;

    private final World world = new World(1);
    private final SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Object> told = new ArrayList<>();

    private static NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        ProtocolConfig config = ProtocolConfig.defaults();
        Membership membership = new Membership(
                config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        OutboxProtocol outbox = new OutboxProtocol(config, membership, PeerSelection.random());
        return new NodeSoftware.Protocols(membership, List.of(outbox, new TallyProtocol(TALLY, membership)));
    }

    private void startThree() {
        for (int i = 1; i <= 3; i++) {
            NodeId id = NodeId.of("n" + i);
            SimulatedNode node = new SimulatedNode(
                    world,
                    network,
                    new SimulatedNode.Machine(id, id + ":1", "", List.of("n1:1")),
                    HostedProtocolsTest::install,
                    new SimulatedDisk.Speed(20_000, 400_000, 0),
                    new Pace(20_000, 16),
                    0);
            node.observer(new NodeObserver() {
                @Override
                public void events(SimulatedNode from, List<Object> events) {
                    told.addAll(events);
                }
            });
            nodes.add(node);
            node.start();
        }
        world.run(5 * World.SECONDS);
    }

    private long known(int at, int of) {
        TallyProtocol tally = (TallyProtocol) nodes.get(at).protocols().others().get(1);
        return tally.durableCounts().getOrDefault(nodes.get(of).id().value(), 0L);
    }

    @Test
    void bothProtocolsWorkAndSurviveACrash() {
        startThree();

        nodes.get(0).command(TALLY, new TallyProtocol.Add(List.of("add")));
        nodes.get(0)
                .command(
                        OutboxProtocol.CHANNEL,
                        new OutboxCommand.PutAll(
                                List.of(new OutboxCommand.Put("q", 2, Slice.of(new byte[] {1}), "put"))));
        world.run(World.SECONDS);
        nodes.get(0).crash();
        nodes.get(0).start();
        world.run(5 * World.SECONDS);
        nodes.get(0).command(TALLY, new TallyProtocol.Add(List.of("add")));
        world.run(World.SECONDS);

        assertThat(told).filteredOn(OutboxEvent.Stored.class::isInstance).hasSize(1);
        assertThat(told)
                .contains(new TallyProtocol.Counted(List.of("add"), 1), new TallyProtocol.Counted(List.of("add"), 2));
        for (int at = 0; at < 3; at++) {
            assertThat(known(at, 0)).isEqualTo(2);
            OutboxProtocol outbox =
                    (OutboxProtocol) nodes.get(at).protocols().others().get(0);
            assertThat(outbox.inspect().liveCount()).isEqualTo(1);
        }
    }
}
