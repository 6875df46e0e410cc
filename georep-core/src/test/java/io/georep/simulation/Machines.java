package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.protocol.HostedProtocol;
import java.util.List;
import java.util.random.RandomGenerator;

/** What a {@link Wing} sees of the world it lives in: machines, the network between them, and time. */
public interface Machines {
    /** Simulated time, and the source of everything random. */
    World world();

    /** All ways between all addresses. */
    SimulatedNetwork network();

    /** All machines, in the order in which they were added; also those that never ran yet, and the dead. */
    List<SimulatedNode> nodes();

    /** Whether this machine will never run again. */
    boolean isDead(SimulatedNode node);

    /** Those with a process. */
    default List<SimulatedNode> running() {
        return nodes().stream().filter(SimulatedNode::isRunning).toList();
    }

    /** The machine of this name. */
    default SimulatedNode node(NodeId id) {
        return nodes().stream().filter(node -> node.id().equals(id)).findAny().orElseThrow();
    }

    /** One of all machines. */
    default SimulatedNode any(RandomGenerator random) {
        return nodes().get(random.nextInt(nodes().size()));
    }

    /** The protocol of this type of a running process. */
    static <P extends HostedProtocol<?>> P protocol(SimulatedNode node, Class<P> type) {
        for (HostedProtocol<?> protocol : node.protocols().others()) {
            if (type.isInstance(protocol)) {
                return type.cast(protocol);
            }
        }
        throw new IllegalStateException(node + " has no " + type.getSimpleName());
    }
}
