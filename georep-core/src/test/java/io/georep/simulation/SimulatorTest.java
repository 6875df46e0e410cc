package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.ChildJvm;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.protocol.FixedMembership;
import io.georep.tally.TallyProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The simulator itself, with a membership that knows everybody and a protocol that only counts. */
class SimulatorTest {
    private static final int CHANNEL = 9;
    private static final SimulatedDisk.Speed DISK = new SimulatedDisk.Speed(20_000, 400_000, 300_000);
    private static final Pace PACE = new Pace(20_000, 16);

    /** A small cluster of counting nodes. */
    private static final class Cluster implements NodeObserver {
        final World world;
        final SimulatedNetwork network;
        final List<SimulatedNode> nodes = new ArrayList<>();
        final TreeMap<NodeId, Long> told = new TreeMap<>();

        Cluster(long seed, int size) {
            world = new World(seed);
            network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
            network.defaultDelay(2 * World.MILLIS, World.MILLIS);
            TreeMap<NodeId, String> everybody = new TreeMap<>();
            for (int i = 1; i <= size; i++) {
                everybody.put(NodeId.of("n" + i), "n" + i + ":1");
            }
            NodeSoftware software = boot -> {
                NodeIdentity self = new NodeIdentity(boot.id(), 1, 1, 1, boot.address(), boot.site());
                FixedMembership membership = new FixedMembership(self, everybody);
                return new NodeSoftware.Protocols(membership, List.of(new TallyProtocol(CHANNEL, membership)));
            };
            everybody.forEach((id, address) -> {
                var machine = new SimulatedNode.Machine(id, address, "", List.of());
                SimulatedNode node = new SimulatedNode(world, network, machine, software, DISK, PACE, 50);
                node.observer(this);
                nodes.add(node);
                node.start();
            });
        }

        SimulatedNode node(int number) {
            return nodes.get(number - 1);
        }

        void add(int number) {
            node(number).command(CHANNEL, new TallyProtocol.Add(List.of("add")));
        }

        TallyProtocol tally(int number) {
            return (TallyProtocol) node(number).protocols().others().get(0);
        }

        long known(int at, int of) {
            return tally(at).durableCounts().getOrDefault("n" + of, 0L);
        }

        @Override
        public void events(SimulatedNode node, List<Object> events) {
            for (Object event : events) {
                if (event instanceof TallyProtocol.Counted counted) {
                    told.put(node.id(), counted.count());
                }
            }
        }
    }

    @Test
    void nodesConnectAndTalk() {
        Cluster cluster = new Cluster(1, 3);
        cluster.world.run(World.SECONDS);

        cluster.add(1);
        cluster.world.run(50 * World.MILLIS);

        assertThat(cluster.known(2, 1)).isEqualTo(1);
        assertThat(cluster.known(3, 1)).isEqualTo(1);
    }

    @Test
    void oneSeedGivesOneTrace() {
        long first = chaos(7).world.trace().hash();
        long again = chaos(7).world.trace().hash();
        long other = chaos(8).world.trace().hash();

        assertThat(again).isEqualTo(first);
        assertThat(other).isNotEqualTo(first);
    }

    @Test
    void oneSeedGivesOneTraceInTwoProcesses() throws Exception {
        assertThat(ChildJvm.outputOf(SimulatorTest.class, "7"))
                .isEqualTo(ChildJvm.outputOf(SimulatorTest.class, "7"))
                .isEqualTo(Long.toHexString(chaos(7).world.trace().hash()));
    }

    /** Prints the hash of one run; started as a process of its own. */
    public static void main(String[] arguments) {
        System.out.println(Long.toHexString(
                chaos(Long.parseLong(arguments[0])).world.trace().hash()));
    }

    @Test
    void crashNeverLosesWhatWasReportedDurable() {
        for (int seed = 0; seed < 50; seed++) {
            Cluster cluster = chaos(seed);
            for (int i = 1; i <= 3; i++) {
                long told = cluster.told.getOrDefault(NodeId.of("n" + i), 0L);

                assertThat(cluster.known(i, i)).as("seed %d node %d", seed, i).isGreaterThanOrEqualTo(told);
            }
        }
    }

    @Test
    void allNodesAgreeOnceEverythingIsHealed() {
        for (int seed = 0; seed < 50; seed++) {
            Cluster cluster = chaos(seed);
            for (int i = 1; i <= 3; i++) {
                for (int k = 1; k <= 3; k++) {
                    assertThat(cluster.known(i, k)).as("seed %d", seed).isEqualTo(cluster.known(k, k));
                }
            }
        }
    }

    @Test
    void crashCanLoseWhatNoSyncCovers() {
        int losses = 0;
        for (int seed = 0; seed < 40; seed++) {
            Cluster cluster = new Cluster(seed, 1);
            cluster.world.run(World.SECONDS);
            cluster.add(1);
            cluster.world.run(30_000);
            cluster.node(1).crash();
            cluster.node(1).start();
            losses += cluster.known(1, 1) == 0 ? 1 : 0;
        }

        assertThat(losses).isBetween(1, 39);
    }

    @Test
    void cutWayLosesFramesAndHealedWayConnectsAgain() {
        Cluster cluster = new Cluster(3, 2);
        cluster.world.run(World.SECONDS);
        Way way = cluster.network.way("n1:1", "n2:1");

        way.cut(false);
        cluster.add(1);
        cluster.add(2);
        cluster.world.run(10 * World.SECONDS);

        assertThat(cluster.known(2, 1)).isZero();
        assertThat(cluster.known(1, 2)).isEqualTo(1);

        way.heal();
        cluster.world.run(3 * World.SECONDS);

        assertThat(cluster.known(2, 1)).isEqualTo(1);
    }

    @Test
    void cloggedWayDeliversEverythingLater() {
        Cluster cluster = new Cluster(3, 2);
        cluster.world.run(World.SECONDS);
        Way way = cluster.network.way("n1:1", "n2:1");

        way.clog();
        cluster.add(1);
        cluster.world.run(10 * World.SECONDS);

        assertThat(cluster.known(2, 1)).isZero();

        way.heal();
        cluster.world.run(World.MILLIS);

        assertThat(cluster.known(2, 1)).isEqualTo(1);
    }

    @Test
    void pausedNodeHandlesItsInputsAfterwards() {
        Cluster cluster = new Cluster(3, 2);
        cluster.world.run(World.SECONDS);

        cluster.node(2).pause();
        cluster.add(1);
        cluster.world.run(10 * World.SECONDS);

        assertThat(cluster.known(2, 1)).isZero();

        cluster.node(2).resume();
        cluster.world.run(10 * World.MILLIS);

        assertThat(cluster.known(2, 1)).isEqualTo(1);
    }

    @Test
    void fullDiskHoldsBackUntilThereIsSpace() {
        Cluster cluster = new Cluster(3, 1);
        cluster.world.run(World.SECONDS);

        cluster.node(1).disk().full(true);
        cluster.add(1);
        cluster.world.run(World.SECONDS);

        assertThat(cluster.told).isEmpty();

        cluster.node(1).disk().full(false);
        cluster.world.run(World.SECONDS);

        assertThat(cluster.told).containsEntry(NodeId.of("n1"), 1L);
    }

    @Test
    void olderImageBringsBackOlderState() {
        Cluster cluster = new Cluster(3, 1);
        cluster.world.run(World.SECONDS);
        cluster.add(1);
        cluster.world.run(World.SECONDS);
        SimulatedDisk.Image image = cluster.node(1).disk().image();
        cluster.add(1);
        cluster.world.run(World.SECONDS);

        cluster.node(1).crash();
        cluster.node(1).disk().restore(image);
        cluster.node(1).start();

        assertThat(cluster.known(1, 1)).isEqualTo(1);
    }

    @Test
    void monotonicClockIsReachedWhateverItsDrift() {
        World world = new World(1);
        for (long drift : new long[] {-5000, -1, 0, 1, 5000}) {
            NodeClock clock = new NodeClock(world, world.random("clock"), drift);
            long deadline = clock.nanos() + 3_600 * World.SECONDS;
            int waits = 0;
            for (long wait = clock.untilNanos(deadline); wait > 0; wait = clock.untilNanos(deadline)) {
                world.run(wait);
                waits++;
            }

            assertThat(clock.nanos()).isBetween(deadline, deadline + World.MILLIS);
            assertThat(waits).isLessThan(10);
        }
    }

    /** Three counting nodes under random faults, healed at the end. */
    private static Cluster chaos(long seed) {
        Cluster cluster = new Cluster(seed, 3);
        RandomGenerator random = cluster.world.random("chaos");
        for (int i = 0; i < 300; i++) {
            cluster.world.run(random.nextLong(20 * World.MILLIS));
            SimulatedNode node = cluster.node(1 + random.nextInt(3));
            Way way = cluster.network.way(
                    node.address(), cluster.node(1 + random.nextInt(3)).address());
            switch (random.nextInt(8)) {
                case 0 -> {
                    if (node.isRunning()) {
                        node.crash();
                    } else {
                        node.start();
                    }
                }
                case 1 -> way.cut(random.nextBoolean());
                case 2 -> way.clog();
                case 3 -> way.heal();
                case 4 -> way.breakConnection();
                default -> node.command(CHANNEL, new TallyProtocol.Add(List.of("add")));
            }
        }
        for (SimulatedNode from : cluster.nodes) {
            cluster.nodes.forEach(
                    to -> cluster.network.way(from.address(), to.address()).heal());
            if (!from.isRunning()) {
                from.start();
            }
        }
        cluster.world.run(5 * World.SECONDS);
        return cluster;
    }

    /** A suspended machine's monotonic clock stands still, and its wall clock only if the hypervisor stops both. */
    @Test
    void clocksOfASuspendedMachineStandStill() {
        for (boolean wallToo : new boolean[] {false, true}) {
            World world = new World(3);
            NodeClock clock = new NodeClock(world, world.random("clock"), 0);
            long nanos = clock.nanos();
            long millis = clock.wallMillis();
            clock.suspend(wallToo);
            world.run(8 * World.SECONDS);
            assertThat(clock.nanos()).isEqualTo(nanos);
            clock.wake();
            world.run(World.SECONDS);

            assertThat(clock.nanos()).isEqualTo(nanos + World.SECONDS);
            assertThat(clock.wallMillis()).isEqualTo(millis + (wallToo ? 1_000 : 9_000));
        }
    }
}
