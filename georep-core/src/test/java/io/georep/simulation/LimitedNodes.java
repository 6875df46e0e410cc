package io.georep.simulation;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.protocol.membership.Slander;
import io.georep.runtime.Input;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** Nodes that may not decide over others (M33). In half of the runs somebody has their keys, and says with them what he likes. */
final class LimitedNodes {
    private static final int ONE_OF = 20;

    private final SimulatedCluster cluster;
    private final Set<SimulatedNode> nodes = new HashSet<>();

    LimitedNodes(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    private boolean are() {
        return cluster.options().breadth.has(Breadth.Kind.LIMITED);
    }

    private boolean lie() {
        return are() && cluster.world().random("liars").nextBoolean();
    }

    /** A machine is new, which hears frames like this. The seeds may decide. */
    void joins(SimulatedNode node, int number, UnaryOperator<Input.Frame> heard) {
        RandomGenerator random = cluster.world().random("lies " + number);
        node.hearing(frame -> said(heard.apply(frame), random));
        if (are() && number > 2 && cluster.world().random("limited " + number).nextBoolean()) {
            node.limit();
            nodes.add(node);
        }
    }

    boolean contains(SimulatedNode node) {
        return nodes.contains(node);
    }

    /** The frame as it comes from whoever has the key of its sender. */
    private Input.Frame said(Input.Frame frame, RandomGenerator random) {
        if (!lie() || !frame.from().limited() || random.nextInt(ONE_OF) > 0) {
            return frame;
        }
        List<SimulatedNode> victims = cluster.running().stream()
                .filter(node -> !node.id().equals(frame.from().id()))
                .toList();
        SimulatedNode victim = victims.get(random.nextInt(victims.size()));
        BinWriter out = new BinWriter(frame.bytes().length + 100).raw(Slice.of(frame.bytes()));
        out.u8(MembershipProtocol.CHANNEL)
                .u8(Slander.type())
                .bytes(Slander.body(victim.protocols().membership().self(), random));
        return new Input.Frame(frame.from(), out.toArray(), frame.urgent());
    }

    /** Whether the node itself takes an order of its operator. */
    static boolean mayOrder(NodeId self, Object command) {
        return command instanceof MembershipCommand.Drain drain
                ? drain.node().equals(self)
                : !(command instanceof MembershipCommand.Remove || command instanceof MembershipCommand.JoinClusterOf);
    }

    /** Unless somebody lies, nobody decides without the right to. */
    boolean mayBeIgnored() {
        return lie();
    }
}
