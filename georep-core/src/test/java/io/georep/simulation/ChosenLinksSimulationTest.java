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
import io.georep.rumour.RumourProtocol;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clusters of three whose nodes are peers, with an outbox, and an epidemic that crosses from one to the other over links
 * of its own, through crashes, cuts and broken ways.
 */
class ChosenLinksSimulationTest {
    private static final int RUMOURS = 9;

    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Object> told = new ArrayList<>();

    private static NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        ProtocolConfig config = ProtocolConfig.defaults();
        Membership membership = new Membership(
                config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        OutboxProtocol outbox = new OutboxProtocol(config, membership, PeerSelection.random());
        return new NodeSoftware.Protocols(membership, List.of(outbox, new RumourProtocol(RUMOURS, membership)));
    }

    private RumourProtocol.View view(int at) {
        return ((RumourProtocol) nodes.get(at).protocols().others().get(1)).view();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void rumoursCrossBetweenClustersThatKnowNothingOfEachOther(long seed) {
        World world = new World(seed);
        SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
        for (int i = 0; i < 6; i++) {
            NodeId id = NodeId.of("n" + i);
            SimulatedNode node = new SimulatedNode(
                    world,
                    network,
                    new SimulatedNode.Machine(id, id + ":1", "", List.of(i < 3 ? "n0:1" : "n3:1")),
                    ChosenLinksSimulationTest::install,
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

        for (int i = 0; i < 5; i++) {
            nodes.get(i)
                    .command(RUMOURS, new RumourProtocol.Meet(nodes.get(i + 1).address()));
        }
        network.way("n0:1", "n1:1").cut(false);
        nodes.get(0).command(RUMOURS, new RumourProtocol.Tell("it rains"));
        nodes.get(1)
                .command(
                        OutboxProtocol.CHANNEL,
                        new OutboxCommand.PutAll(
                                List.of(new OutboxCommand.Put("q", 1, Slice.of(new byte[] {1}), "put"))));
        world.run(5 * World.SECONDS);
        assertThat(view(1).rumours()).as("cut off, and nobody else knows of it").isEmpty();
        network.way("n0:1", "n1:1").heal();
        world.run(2 * World.SECONDS);
        nodes.get(4).crash();
        world.run(5 * World.SECONDS);
        nodes.get(4).start();
        nodes.get(4).command(RUMOURS, new RumourProtocol.Meet("n0:1"));
        nodes.get(4).command(RUMOURS, new RumourProtocol.Tell("it pours"));
        world.run(20 * World.SECONDS);

        assertThat(told).filteredOn(OutboxEvent.Stored.class::isInstance).hasSize(1);
        for (int at = 0; at < 6; at++) {
            assertThat(view(at).rumours()).as("known at n%s", at).containsExactlyInAnyOrder("it rains", "it pours");
            assertThat(view(at).up()).hasSizeLessThanOrEqualTo(RumourProtocol.LINKS);
            Membership membership = (Membership) nodes.get(at).protocols().membership();
            assertThat(membership.all()).as("peers of n%s", at).hasSize(2);
            assertThat(membership.strangers()).isEmpty();
        }
    }
}
