package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.OutboxView;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.PeerSelection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The papers' load: clients at every node, each of which puts its next entry when the last one was stored, forwarded and
 * deleted everywhere. Counts entries that were.
 */
final class ClosedLoop implements NodeObserver {
    private static final String QUEUE = "q";
    private static final Slice PAYLOAD = Slice.of(new byte[100]);

    private final World world = new World(1);
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<NodeId, ArrayDeque<EntryId>> forwarded = new HashMap<>();
    private final int clients;
    private long done;

    ClosedLoop(int size, int clients, long rttNanos) {
        this.clients = clients;
        SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
        network.defaultDelay(rttNanos / 2, 0);
        ProtocolConfig config = ProtocolConfig.defaults();
        NodeSoftware software = boot -> {
            Membership membership = new Membership(
                    config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
            return new NodeSoftware.Protocols(
                    membership, List.of(new OutboxProtocol(config, membership, PeerSelection.random())));
        };
        for (int i = 1; i <= size; i++) {
            NodeId id = NodeId.of("n" + i);
            var machine = new SimulatedNode.Machine(id, id + ":1", "", List.of("n1:1"));
            var speed = new SimulatedDisk.Speed(20_000, 400_000, 0);
            SimulatedNode node = new SimulatedNode(world, network, machine, software, speed, new Pace(20_000, 256), 0);
            node.observer(this);
            nodes.add(node);
            forwarded.put(id, new ArrayDeque<>());
            node.start();
        }
    }

    /** Entries per second, counted for a while after a warm-up. */
    double run(long warmUpNanos, long measuredNanos) {
        world.run(5 * World.SECONDS);
        for (SimulatedNode node : nodes) {
            node.command(OutboxProtocol.CHANNEL, new OutboxCommand.Credit(QUEUE, clients));
            for (int i = 0; i < clients; i++) {
                world.after(warmUpNanos / 2 * i / clients, () -> put(node));
            }
        }
        world.run(warmUpNanos);
        long before = done;
        world.run(measuredNanos);
        return (done - before) * 1e9 / measuredNanos;
    }

    private void put(SimulatedNode node) {
        node.command(
                OutboxProtocol.CHANNEL,
                new OutboxCommand.PutAll(List.of(new OutboxCommand.Put(QUEUE, 1, PAYLOAD, node))));
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof OutboxEvent.Deliver deliver) {
                List<EntryId> ids = deliver.entries().stream()
                        .map(OutboxEvent.Delivered::id)
                        .toList();
                forwarded.get(node.id()).addAll(ids);
                node.command(OutboxProtocol.CHANNEL, new OutboxCommand.Forwarded(ids));
                node.command(OutboxProtocol.CHANNEL, new OutboxCommand.Credit(QUEUE, ids.size()));
            } else if (event instanceof OutboxEvent.PutFailed failed) {
                throw new AssertionError("a put failed", failed.cause());
            }
        }
    }

    @Override
    public void turned(SimulatedNode node) {
        ArrayDeque<EntryId> waiting = forwarded.get(node.id());
        if (waiting.isEmpty()) {
            return;
        }
        OutboxView view = ((OutboxProtocol) node.protocols().others().get(0)).inspect();
        int before = waiting.size();
        waiting.removeIf(id -> view.isFinished(id) && !OutboxAudit.isUntold(view, id));
        for (int i = waiting.size(); i < before; i++) {
            done++;
            put(node);
        }
    }
}
