package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxCommand;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Simulated nodes that host a protocol beside the outbox, and all they tell their applications. */
final class NodesWithGuest {
    final World world;
    final SimulatedNetwork network;
    final List<SimulatedNode> nodes = new ArrayList<>();
    final List<Object> told = new ArrayList<>();
    private Function<Membership, HostedProtocol> guest;

    NodesWithGuest(long seed, Function<Membership, HostedProtocol> guest) {
        world = new World(seed);
        network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
        this.guest = guest;
    }

    /** What nodes host that are added from now on. */
    void guest(Function<Membership, HostedProtocol> other) {
        guest = other;
    }

    private static NodeSoftware.Protocols install(NodeSoftware.Boot boot, Function<Membership, HostedProtocol> guest) {
        ProtocolConfig config = ProtocolConfig.defaults();
        Membership membership = new Membership(
                config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        OutboxProtocol outbox = new OutboxProtocol(config, membership, PeerSelection.random());
        return new NodeSoftware.Protocols(membership, List.of(outbox, guest.apply(membership)));
    }

    /** Starts a node whose address is its name and ":1". */
    void start(String name, String seed) {
        NodeId id = NodeId.of(name);
        Function<Membership, HostedProtocol> own = guest;
        SimulatedNode node = new SimulatedNode(
                world,
                network,
                new SimulatedNode.Machine(id, id + ":1", "", List.of(seed)),
                boot -> install(boot, own),
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

    /** Gives the node one entry that wants so many owners. */
    void put(int at, int owners) {
        nodes.get(at)
                .command(
                        OutboxProtocol.CHANNEL,
                        new OutboxCommand.PutAll(
                                List.of(new OutboxCommand.Put("q", owners, Slice.of(new byte[] {1}), "put"))));
    }

    OutboxProtocol outbox(int at) {
        return (OutboxProtocol) nodes.get(at).protocols().others().get(0);
    }

    HostedProtocol guest(int at) {
        return nodes.get(at).protocols().others().get(1);
    }
}
