package io.georep.simulation;

import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyAudit;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Machines whose nodes have key spaces; numbered from 1. Everything is watched by a {@link KeyJudge}. */
final class KeyCluster extends NumberedNodes<KeyCluster> {
    /**
     * What a cluster is like.
     *
     * @param others protocols beside the key spaces
     */
    record Shape(
            long seed,
            int nodes,
            ProtocolConfig config,
            KeySpaceSettings settings,
            SimulatedNetwork.Settings network,
            BiFunction<ProtocolConfig, Membership, List<? extends HostedProtocol>> others) {
        static Shape of(long seed, int nodes) {
            return new Shape(
                    seed,
                    nodes,
                    ProtocolConfig.builder()
                            .heartbeatAway(Duration.ofSeconds(2))
                            .build(),
                    KeyWing.quick(),
                    SimulatedNetwork.Settings.defaults(),
                    (config, membership) -> List.of());
        }

        Shape settings(KeySpaceSettings other) {
            return new Shape(seed, nodes, config, other, network, others);
        }

        Shape network(SimulatedNetwork.Settings other) {
            return new Shape(seed, nodes, config, settings, other, others);
        }

        Shape beside(BiFunction<ProtocolConfig, Membership, List<? extends HostedProtocol>> protocols) {
            return new Shape(seed, nodes, config, settings, network, protocols);
        }
    }

    private final KeyWing keys;
    private final List<Object> told = new ArrayList<>();

    KeyCluster(Shape shape) {
        super(shape.seed, shape.network, shape.config);
        keys = host(new KeyWing(this, shape.settings));
        host(new Witness(shape));
        for (int i = 1; i <= shape.nodes; i++) {
            machine(i, 0);
        }
    }

    /** Installs what is to be beside the key spaces, and keeps what all nodes tell. */
    private final class Witness extends Guest {
        private final Shape shape;

        Witness(Shape shape) {
            super("beside");
            this.shape = shape;
        }

        @Override
        public List<? extends HostedProtocol> install(NodeSoftware.Boot boot, Membership membership) {
            return shape.others.apply(shape.config, membership);
        }

        @Override
        public void events(SimulatedNode node, List<Object> events) {
            told.addAll(events);
        }
    }

    @Override
    KeyCluster self() {
        return this;
    }

    KeyWing keys() {
        return keys;
    }

    KeyJudge judge() {
        return keys.judge();
    }

    /** Events of all nodes. */
    List<Object> told() {
        return told;
    }

    KeyCluster start() {
        nodes.forEach(SimulatedNode::start);
        return pass(5);
    }

    void remove(int operator, int node) {
        node(operator)
                .command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.Remove(node(node).id()));
    }

    void leave(int node, Duration away) {
        leave(node(node), away);
    }

    /** Sets keys, or deletes those whose value is null. */
    KeyJudge.Write write(int node, int f, String... keysAndValues) {
        return keys.write(node(node), f, keysAndValues);
    }

    /** Writes and waits for the answer. */
    KeyJudge.Write writeNow(int node, int f, String... keysAndValues) {
        KeyJudge.Write write = write(node, f, keysAndValues);
        world.runUntil(() -> write.answer != KeyJudge.Answer.OPEN, 20 * World.SECONDS);
        return write;
    }

    /** What a node has in memory, null when nothing. */
    String value(int node, String key) {
        for (KeyAudit.Seen seen : KeyAudit.records(KeyWing.protocol(node(node)), KeyWing.SPACE)) {
            if (seen.key().equals(key)) {
                return seen.value();
            }
        }
        return null;
    }
}
