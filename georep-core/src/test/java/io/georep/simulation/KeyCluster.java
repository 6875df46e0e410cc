package io.georep.simulation;

import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyAudit;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyProtocol;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.runtime.Input;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Machines whose nodes have key spaces; numbered from 1. Everything is watched by a {@link KeyJudge}. */
final class KeyCluster extends NumberedNodes<KeyCluster> {
    static final String SPACE = "offsets";
    static final KeySpaceSettings SETTINGS =
            KeySpaceSettings.defaults().times(Duration.ofSeconds(4), Duration.ofMillis(100), Duration.ofSeconds(2));

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
                    SETTINGS,
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

    private final Shape shape;
    private final KeyJudge judge;
    private final List<Object> told = new ArrayList<>();

    KeyCluster(Shape shape) {
        super(shape.seed, shape.network);
        this.shape = shape;
        judge = new KeyJudge(this);
        for (int i = 1; i <= shape.nodes; i++) {
            nodes.add(machine(i));
        }
    }

    private SimulatedNode machine(int number) {
        SimulatedNode node = machine(number, this::install, 0);
        node.observer(new NodeObserver() {
            @Override
            public void started(SimulatedNode of) {
                judge.booted(of);
            }

            @Override
            public void turning(SimulatedNode of, List<Input> inputs) {
                judge.turning(of, inputs);
            }

            @Override
            public void turned(SimulatedNode of) {
                judge.turned(of);
            }

            @Override
            public void events(SimulatedNode of, List<Object> events) {
                told.addAll(events);
                for (Object event : events) {
                    judge.event(of, event);
                    if (event instanceof MembershipEvent.Left) {
                        int boot = of.boots();
                        world.after(50 * World.MILLIS, () -> {
                            if (of.isRunning() && of.boots() == boot) {
                                of.stop();
                            }
                        });
                    }
                }
            }

            @Override
            public void stopped(SimulatedNode of) {
                judge.stopped(of);
            }
        });
        return node;
    }

    private NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        Membership membership = new Membership(
                shape.config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
        List<HostedProtocol> protocols = new ArrayList<>();
        protocols.add(new KeyProtocol(shape.settings, membership));
        protocols.addAll(shape.others.apply(shape.config, membership));
        return new NodeSoftware.Protocols(membership, protocols);
    }

    @Override
    KeyCluster self() {
        return this;
    }

    KeyJudge judge() {
        return judge;
    }

    /** Events of all nodes. */
    List<Object> told() {
        return told;
    }

    static KeyProtocol protocol(SimulatedNode node) {
        return (KeyProtocol) node.protocols().others().get(0);
    }

    KeyCluster start() {
        nodes.forEach(SimulatedNode::start);
        return pass(5);
    }

    @Override
    void replaceStore(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        judge.destroyed(node, image);
        node.disk().wipe();
        if (image != null) {
            node.disk().restore(image);
        }
    }

    void remove(int operator, int node) {
        node(operator)
                .command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.Remove(node(node).id()));
    }

    void leave(int node, Duration away) {
        node(node).command(MembershipProtocol.CHANNEL, new MembershipCommand.Leave(away));
    }

    /** Sets keys, or deletes those whose value is null. */
    KeyJudge.Write write(int node, int f, String... keysAndValues) {
        KeyBatch batch = new KeyBatch();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] key = keysAndValues[i].getBytes();
            if (keysAndValues[i + 1] == null) {
                batch.delete(key);
            } else {
                batch.put(key, keysAndValues[i + 1].getBytes());
            }
        }
        KeyJudge.Write write = judge.write(node(node), f, batch);
        node(node)
                .command(KeyProtocol.CHANNEL, new KeyCommand.Write(new KeyCommand.Space(SPACE, true), f, batch, write));
        return write;
    }

    /** Writes and waits for the answer. */
    KeyJudge.Write writeNow(int node, int f, String... keysAndValues) {
        KeyJudge.Write write = write(node, f, keysAndValues);
        world.runUntil(() -> write.answer != KeyJudge.Answer.OPEN, 20 * World.SECONDS);
        return write;
    }

    /** What a node has in memory, null when nothing. */
    String value(int node, String key) {
        for (KeyAudit.Seen seen : KeyAudit.records(protocol(node(node)), SPACE)) {
            if (seen.key().equals(key)) {
                return seen.value();
            }
        }
        return null;
    }
}
