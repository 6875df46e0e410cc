package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An outbox beside a protocol that takes all it can get: its sends take at most half as long again as without, in virtual
 * time, from the put until it is acknowledged.
 */
class FairnessTest {
    private static final int GREEDY = 9;
    private static final long ONE_WAY = 20 * World.MILLIS;

    /** 100 Mbit/s, and far less than is flooded. */
    private static final long LINE_NANOS_PER_BYTE = 80;

    /** A turn handles 500 MB/s, or 250,000 small inputs. */
    private static final long TURN_NANOS_PER_BYTE = 2;

    private static final int PUTS = 400;
    private static final long PUT_EVERY = 5 * World.MILLIS;

    /** Sends whatever its peers take, and more. */
    private static final class GreedyProtocol implements HostedProtocol<Object> {
        private static final long EVERY = 5 * World.MILLIS;
        private static final int MESSAGES = 5;
        private static final Slice MESSAGE = Slice.of(new byte[60_000]);

        private final Peers peers;
        private long next = Long.MAX_VALUE;
        private long bytesTaken;
        private long commandsTaken;
        private long timesFull;

        GreedyProtocol(Peers peers) {
            this.peers = peers;
        }

        @Override
        public ProtocolId id() {
            return new ProtocolId(GREEDY, "greedy", 1);
        }

        @Override
        public boolean knows(int type) {
            return type == 1;
        }

        @Override
        public void boot(EntryStore store, Turn turn) {}

        @Override
        public void onMessage(Peer from, int type, BinReader body, Turn turn) {
            bytesTaken += body.remaining();
        }

        @Override
        public void onCommand(Object command, Turn turn) {
            if (command.equals("flood")) {
                next = turn.now();
            }
            commandsTaken++;
        }

        @Override
        public void onTimer(Turn turn) {
            next = turn.now() + EVERY;
            for (Peer peer : peers.linked()) {
                timesFull += peer.writable(GREEDY) ? 0 : 1;
                for (int i = 0; i < MESSAGES; i++) {
                    turn.send(peer, 1, MESSAGE, false);
                }
            }
        }

        @Override
        public long nextDeadlineNanos() {
            return next;
        }
    }

    /** Three nodes with both protocols, and the times that puts at the first of them take. */
    private static final class Cluster implements NodeObserver {
        final World world = new World(1);
        final SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
        final List<SimulatedNode> nodes = new ArrayList<>();
        final List<Long> latencies = new ArrayList<>();

        Cluster(long lineNanosPerByte, long turnNanosPerByte) {
            network.defaultDelay(ONE_WAY, 0);
            for (int i = 1; i <= 3; i++) {
                NodeId id = NodeId.of("n" + i);
                SimulatedNode node = new SimulatedNode(
                        world,
                        network,
                        new SimulatedNode.Machine(id, id + ":1", "", List.of("n1:1")),
                        Cluster::install,
                        new SimulatedDisk.Speed(20_000, 400_000, 0),
                        new Pace(20_000, 512, turnNanosPerByte),
                        0);
                node.observer(this);
                nodes.add(node);
            }
            for (SimulatedNode from : nodes) {
                for (SimulatedNode to : nodes) {
                    network.way(from.address(), to.address()).line(lineNanosPerByte);
                }
            }
            nodes.forEach(SimulatedNode::start);
            world.run(10 * World.SECONDS);
        }

        static NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
            ProtocolConfig config = ProtocolConfig.defaults();
            Membership membership = new Membership(
                    config, new LocalNode(boot.id(), boot.address(), boot.site(), List.copyOf(boot.seeds())));
            return new NodeSoftware.Protocols(
                    membership,
                    List.of(
                            new GreedyProtocol(membership),
                            new OutboxProtocol(config, membership, PeerSelection.random())));
        }

        GreedyProtocol greedy(int number) {
            return (GreedyProtocol) nodes.get(number).protocols().others().get(0);
        }

        void floodPeers() {
            nodes.forEach(node -> node.command(GREEDY, "flood"));
            world.run(World.SECONDS);
        }

        /** From now on every node gets half as many commands again as it can handle. */
        void floodCommands() {
            for (SimulatedNode node : nodes) {
                for (int i = 0; i < 1_800; i++) {
                    node.command(GREEDY, "command");
                }
            }
            world.after(5 * World.MILLIS, this::floodCommands);
        }

        /** Puts, and waits until all are acknowledged; returns how long 99 of 100 took at most. */
        long p99() {
            for (int i = 0; i < PUTS; i++) {
                world.after(i * PUT_EVERY, () -> {
                    Object token = world.now();
                    Slice payload = Slice.of(new byte[1_000]);
                    nodes.get(0)
                            .command(
                                    OutboxProtocol.CHANNEL,
                                    new OutboxCommand.PutAll(List.of(new OutboxCommand.Put("q", 1, payload, token))));
                });
            }
            assertThat(world.runUntil(() -> latencies.size() == PUTS, 60 * World.SECONDS))
                    .as("all are acknowledged: " + latencies.size())
                    .isTrue();
            latencies.sort(null);
            return latencies.get(PUTS * 99 / 100 - 1);
        }

        @Override
        public void events(SimulatedNode node, List<Object> events) {
            for (Object event : events) {
                if (event instanceof OutboxEvent.Stored stored) {
                    stored.puts().forEach(put -> latencies.add(world.now() - (Long) put.token()));
                } else if (event instanceof OutboxEvent.PutFailed failed) {
                    throw new AssertionError("a put failed", failed.cause());
                }
            }
        }
    }

    @Test
    void aProtocolThatFloodsTheLinesCostsAnOutboxNoMoreThanHalfItsLatency() {
        long alone = new Cluster(LINE_NANOS_PER_BYTE, 0).p99();
        Cluster cluster = new Cluster(LINE_NANOS_PER_BYTE, 0);
        cluster.floodPeers();
        long from = cluster.world.now();
        long bytesBefore = cluster.greedy(1).bytesTaken;

        long beside = cluster.p99();

        long bytes = cluster.greedy(1).bytesTaken - bytesBefore;
        long capacity = 2 * (cluster.world.now() - from) / LINE_NANOS_PER_BYTE;
        assertThat(bytes).as("of the capacity of two lines").isGreaterThan(capacity * 3 / 4);
        assertThat(cluster.greedy(0).timesFull).as("it is told").isPositive();
        assertThat(beside).isGreaterThan(alone).isLessThanOrEqualTo(alone * 3 / 2);
    }

    @Test
    void aProtocolThatFloodsTheTurnsCostsAnOutboxNoMoreThanHalfItsLatency() {
        long alone = new Cluster(0, TURN_NANOS_PER_BYTE).p99();
        Cluster cluster = new Cluster(0, TURN_NANOS_PER_BYTE);
        cluster.floodCommands();
        cluster.world.run(World.SECONDS);
        long from = cluster.world.now();
        long commandsBefore = cluster.greedy(1).commandsTaken;

        long beside = cluster.p99();

        long commands = cluster.greedy(1).commandsTaken - commandsBefore;
        long capacity = (cluster.world.now() - from) / (TURN_NANOS_PER_BYTE * 2048);
        assertThat(commands).as("of all a node can take").isGreaterThan(capacity * 3 / 4);
        assertThat(beside).isGreaterThan(alone).isLessThanOrEqualTo(alone * 3 / 2);
    }
}
