package io.georep.simulation;

import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.membership.MembershipCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** One run: writes, deletions and reads in all kinds of trouble, then peace in which all nodes must agree. */
final class KeySimulation {
    private static final EnumSet<Fault> KINDS = EnumSet.of(
            Fault.CRASH,
            Fault.POWER_CUT,
            Fault.WIPE,
            Fault.OLD_IMAGE,
            Fault.DEATH,
            Fault.REMOVE,
            Fault.DISK_FULL,
            Fault.DISK_HANG,
            Fault.DISK_ERROR,
            Fault.DISK_SLOW,
            Fault.PARTITION,
            Fault.ONE_WAY,
            Fault.BREAK,
            Fault.CLOG,
            Fault.PAUSE,
            Fault.LEAVE,
            Fault.DRAIN,
            Fault.CLOCK_STEP);

    private static final long TROUBLE = 60 * World.SECONDS;

    private final RandomGenerator random;
    private final KeyCluster cluster;
    private final World world;
    private final List<Fault> kinds = new ArrayList<>();
    private final Set<SimulatedNode> dead = new HashSet<>();
    private final TreeMap<String, SimulatedDisk.Image> images = new TreeMap<>();
    private final int keys;
    private final int fMax;
    private final long gap;
    private int lossesLeft;
    private long written;
    private boolean over;

    private KeySimulation(long seed) {
        random = new World(seed).random("key run");
        int nodes = 2 + random.nextInt(4);
        keys = 1 + random.nextInt(12);
        fMax = random.nextInt(Math.min(3, nodes));
        gap = 50 * World.MILLIS + random.nextLong(2 * World.SECONDS);
        lossesLeft = fMax;
        SimulatedNetwork.Settings network = new SimulatedNetwork.Settings(
                200 * World.MILLIS,
                100 * World.MILLIS,
                World.SECONDS,
                256 << 10,
                16 << 20,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
        for (Fault kind : KINDS) {
            if (random.nextInt(3) == 0) {
                kinds.add(kind);
            }
        }
        cluster = new KeyCluster(KeyCluster.Shape.of(seed, nodes).network(network));
        world = cluster.world();
    }

    /** Runs it; throws when a promise was broken. Answers what happened, on one line. */
    static String run(long seed) {
        KeySimulation simulation = new KeySimulation(seed);
        try {
            return simulation.run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + " " + simulation.kinds + " f " + simulation.fMax + ": " + e.getMessage() + "\n  "
                            + String.join(
                                    "\n  ", simulation.cluster.world().trace().tail()),
                    e);
        }
    }

    private String run() {
        cluster.nodes().forEach(SimulatedNode::start);
        for (int node = 1; node <= cluster.nodes().size(); node++) {
            planWork(node);
        }
        planFault();
        world.run(TROUBLE);
        over = true;
        heal();
        world.run(60 * World.SECONDS);
        cluster.judge().settled();
        return "trace " + world.trace().hash() + " " + cluster.judge();
    }

    private void planWork(int node) {
        world.after(1 + random.nextLong(gap), () -> {
            if (!over) {
                SimulatedNode machine = cluster.node(node);
                if (machine.isListening()) {
                    work(node);
                }
                planWork(node);
            }
        });
    }

    private void work(int node) {
        String key = "k" + random.nextInt(keys);
        if (random.nextInt(3) == 0) {
            cluster.judge().read(cluster.node(node), key);
            return;
        }
        int f = random.nextInt(fMax + 1);
        int changes = random.nextInt(4) == 0 ? 2 + random.nextInt(3) : 1;
        String[] keysAndValues = new String[2 * changes];
        for (int i = 0; i < changes; i++) {
            keysAndValues[2 * i] = i == 0 ? key : "k" + random.nextInt(keys);
            keysAndValues[2 * i + 1] = random.nextInt(3) == 0 ? null : "v" + written++;
        }
        cluster.write(node, f, keysAndValues);
    }

    private void planFault() {
        if (kinds.isEmpty()) {
            return;
        }
        world.after(1 + random.nextLong(8 * World.SECONDS), () -> {
            if (!over) {
                happen(kinds.get(random.nextInt(kinds.size())));
                planFault();
            }
        });
    }

    private SimulatedNode any() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private void happen(Fault kind) {
        SimulatedNode node = any();
        world.trace().note(world.now(), "fault", kind, node, null, 0);
        switch (kind) {
            case CRASH -> crash(node);
            case POWER_CUT -> cluster.nodes().forEach(this::crash);
            case WIPE, OLD_IMAGE -> lose(node, kind == Fault.OLD_IMAGE);
            case DEATH, REMOVE -> die(node, kind == Fault.REMOVE);
            case DISK_FULL -> {
                node.disk().full(true);
                later(() -> node.disk().full(false));
            }
            case DISK_HANG -> {
                node.disk().hang(true, true);
                later(() -> {
                    node.disk().hang(false, false);
                    restart(node);
                });
            }
            case DISK_ERROR -> {
                node.disk().breakDown();
                later(() -> restart(node));
            }
            case DISK_SLOW -> {
                node.disk().speed(new SimulatedDisk.Speed(World.MILLIS, 400 * World.MILLIS, 200 * World.MILLIS));
                later(() -> node.disk().mend());
            }
            case PARTITION -> partition();
            case ONE_WAY -> way(node).cut(random.nextBoolean());
            case BREAK -> way(node).breakConnection();
            case CLOG -> way(node).clog();
            case PAUSE -> pause(node);
            case LEAVE -> {
                node.command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.Leave(Duration.ofMillis(random.nextInt(20_000))));
                later(() -> restart(node));
            }
            case DRAIN ->
                any().command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(node.id(), random.nextBoolean()));
            default -> node.clock().step(random.nextLong(-3_600_000, 3_600_000));
        }
        if (kind == Fault.ONE_WAY || kind == Fault.CLOG) {
            later(cluster::join);
        }
    }

    private Way way(SimulatedNode from) {
        int to = 1 + random.nextInt(cluster.nodes().size() - 1);
        int number = 1 + cluster.nodes().indexOf(from);
        return cluster.way(number, to >= number ? to + 1 : to);
    }

    private void later(Runnable end) {
        world.after(1 + random.nextLong(20 * World.SECONDS), () -> {
            if (!over) {
                end.run();
            }
        });
    }

    private void crash(SimulatedNode node) {
        if (node.isRunning()) {
            node.crash();
            later(() -> restart(node));
        }
    }

    private void restart(SimulatedNode node) {
        if (!node.isRunning() && !dead.contains(node)) {
            node.start();
        }
    }

    private void lose(SimulatedNode node, boolean isOldImage) {
        if (isOldImage && !images.containsKey(node.id().value())) {
            images.put(node.id().value(), node.disk().image());
        } else if (lossesLeft > 0 && node.isRunning() && random.nextInt(3) == 0) {
            lossesLeft--;
            node.crash();
            cluster.replaceStore(node, isOldImage ? images.remove(node.id().value()) : null);
            later(() -> restart(node));
        }
    }

    private void die(SimulatedNode node, boolean isRemovedFirst) {
        if (lossesLeft > 0 && node.isRunning() && cluster.nodes().size() - dead.size() > 2) {
            lossesLeft--;
            dead.add(node);
            if (isRemovedFirst) {
                removeDead();
            }
            node.crash();
            cluster.replaceStore(node, null);
        }
    }

    private void removeDead() {
        for (SimulatedNode operator : cluster.nodes()) {
            if (operator.isRunning() && !dead.contains(operator)) {
                dead.forEach(
                        each -> operator.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(each.id())));
            }
        }
    }

    private void pause(SimulatedNode node) {
        if (node.isRunning() && !node.isPaused()) {
            node.pause();
            later(() -> {
                if (node.isPaused()) {
                    node.resume();
                }
            });
        }
    }

    private void partition() {
        long sides = random.nextLong();
        int nodes = cluster.nodes().size();
        for (int a = 1; a <= nodes; a++) {
            for (int b = 1; b < a; b++) {
                if (((sides >> a) & 1) != ((sides >> b) & 1)) {
                    cluster.cut(a, b);
                }
            }
        }
        later(cluster::join);
    }

    /** Everything is repaired, everybody but the dead comes back, and operators remove those. */
    private void heal() {
        cluster.join();
        for (SimulatedNode node : cluster.nodes()) {
            node.disk().mend();
            if (node.isPaused()) {
                node.resume();
            }
            restart(node);
        }
        world.after(2 * World.SECONDS, () -> cluster.nodes().forEach(this::restart));
        world.after(5 * World.SECONDS, this::removeDead);
        world.after(10 * World.SECONDS, () -> cluster.nodes().forEach(this::restart));
    }

    /** Runs seeds from the command line: {@code first count}. */
    public static void main(String[] arguments) {
        Seeds.run(arguments, KeySimulation::run);
    }
}
