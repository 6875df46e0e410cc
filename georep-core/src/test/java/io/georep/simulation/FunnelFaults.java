package io.georep.simulation;

import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** What goes wrong in a run of {@link FunnelSimulation}, of the kinds that were drawn for it. */
final class FunnelFaults extends NodeFaults<FunnelCluster, FunnelFaults.Trouble> {
    /** Kinds of trouble. */
    enum Trouble {
        CRASH,
        CRASH_TAIL,
        CRASH_HEAD,
        POWER_CUT,
        STOP,
        WIPE,
        OLD_IMAGE,
        ROLL_BACK,
        DISK_FULL,
        DISK_SLOW,
        DISK_ERROR,
        DISK_HANGS,
        PARTITION,
        ONE_WAY,
        BREAK,
        CLOG,
        PAUSE,
        MASTER_AWAY,
        MASTER_CHANGES,
        CUT_OFF,
        CLOCK_STEP,
        NARROW,
        FLOOD
    }

    private static final long GAP_MAX = 2 * World.SECONDS;
    private static final long REPAIR_MAX = 4 * World.SECONDS;
    private static final int ROLL_BACK_TRIES = 6;
    private static final int FLOOD_MIN = 1_000;
    private static final int FLOODED_RUNS = 100;
    private static final long STEP_MAX_MILLIS = 5_000;

    /** What settings must allow for a flood. */
    static final int FLOOD_UNCOMMITTED = 4 * FLOOD_MIN;

    private final Map<SimulatedNode, Long> steps = new HashMap<>();
    private int floodsLeft = 1;
    private int rollBacksLeft = 3;

    /** Whether the store that is lost now becomes an older one, and not an empty one. */
    private boolean isOldImage;

    /**
     * Plans nothing yet.
     *
     * @param losses how many stores may be lost
     */
    FunnelFaults(FunnelCluster cluster, List<Trouble> kinds, int losses, RandomGenerator random) {
        super(cluster, kinds, GAP_MAX, REPAIR_MAX, losses, random);
    }

    /** Draws the kinds for a run. */
    static List<Trouble> draw(RandomGenerator random) {
        List<Trouble> kinds = new ArrayList<>();
        for (Trouble kind : EnumSet.allOf(Trouble.class)) {
            if (random.nextInt(kind == Trouble.FLOOD ? FLOODED_RUNS : 4) == 0) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    @Override
    void happen(Trouble kind, SimulatedNode node) {
        switch (kind) {
            case CRASH -> end(node);
            case CRASH_TAIL, CRASH_HEAD -> end(member(kind == Trouble.CRASH_TAIL, node));
            case POWER_CUT -> cluster.nodes().forEach(this::end);
            case STOP -> stop(node);
            case WIPE, OLD_IMAGE -> {
                isOldImage = kind == Trouble.OLD_IMAGE;
                lose(node, isOldImage);
            }
            case ROLL_BACK -> rollBack(node);
            case DISK_FULL -> fillDisk(node);
            case DISK_ERROR -> {
                if (!cluster.maps().shape().isVolatile()) {
                    breakDisk(node);
                }
            }
            case DISK_HANGS -> {
                if (!cluster.maps().shape().isVolatile()) {
                    node.disk().hang(true, false);
                    later(() -> node.disk().mend());
                }
            }
            case DISK_SLOW ->
                slowDisk(node, new SimulatedDisk.Speed(World.MILLIS, 100 * World.MILLIS, 50 * World.MILLIS));
            case PARTITION -> partition();
            case ONE_WAY -> way(node, way -> way.cut(random.nextBoolean()));
            case BREAK -> way(node, Way::breakConnection);
            case CLOG -> way(node, Way::clog);
            case PAUSE -> pause(node);
            case MASTER_AWAY -> cluster.master().fail(random.nextLong(3 * World.SECONDS));
            case MASTER_CHANGES -> cluster.master().changeLeader();
            case CLOCK_STEP -> step(node, random.nextLong(-STEP_MAX_MILLIS, STEP_MAX_MILLIS + 1));
            case NARROW -> narrow(node);
            case FLOOD -> flood(node);
            default -> {
                cluster.master().cutOff(node.id());
                later(() -> cluster.master().heal());
            }
        }
    }

    /** In an orderly way, and nobody is told: what was given to the store is there. */
    private void stop(SimulatedNode node) {
        if (cluster.maps().shape().isVolatile()) {
            end(node);
        } else if (node.isRunning()) {
            node.stop();
            later(() -> restart(node));
        }
    }

    /** What is only in memory is lost, and perhaps the rest, while another node has everything. */
    private void end(SimulatedNode node) {
        isOldImage = true;
        if (!cluster.maps().shape().isVolatile()) {
            crash(node);
        } else if (node.isRunning() && mayLose(node)) {
            crash(node);
            cluster.replaceStore(node, random.nextBoolean() ? node.disk().image() : null);
        }
    }

    /** Wall clocks are wrong by a bounded time, so that values do not outlive the peace. */
    private void step(SimulatedNode node, long offset) {
        node.clock().step(offset - steps.getOrDefault(node, 0L));
        steps.put(node, offset);
    }

    /** A link stays up, but what is sent has to wait; above the bound it is lost. */
    private void narrow(SimulatedNode from) {
        SimulatedNode to = any();
        if (from != to) {
            Way way = cluster.network().way(from.address(), to.address());
            way.line(random.nextLong(World.SECONDS / 1_000_000, World.SECONDS / 2_000));
            later(() -> way.line(0));
        }
    }

    /** More writes of one node than one message names. */
    private void flood(SimulatedNode node) {
        if (floodsLeft-- <= 0 || !node.isListening()) {
            return;
        }
        int count = FLOOD_MIN + random.nextInt(FLOOD_MIN);
        for (int i = 0; i < count; i++) {
            String value = "<" + i + "f>";
            cluster.judge().attempt(new FunnelCall(Kind.PUT, "f" + random.nextInt(FLOOD_MIN), value, null), node);
        }
    }

    private SimulatedNode member(boolean isTail, SimulatedNode other) {
        var view = cluster.master().view();
        if (view == null) {
            return other;
        }
        var id = isTail ? view.tail() : view.members().get(0);
        return cluster.nodes().stream()
                .filter(each -> each.id().equals(id))
                .findAny()
                .orElseThrow();
    }

    private void way(SimulatedNode from, java.util.function.Consumer<Way> trouble) {
        SimulatedNode to = any();
        if (from != to) {
            trouble.accept(cluster.network().way(from.address(), to.address()));
            later(cluster::join);
        }
    }

    /** Only while others have everything: who loses the only copy has lost it. */
    @Override
    boolean mayLose(SimulatedNode node) {
        return cluster.maps().mayLose(node, isOldImage);
    }

    /**
     * Disks are copied while their nodes run on. These die a while later, in every second case together with all others, and
     * begin again with the copies, sooner than the others.
     */
    private void rollBack(SimulatedNode first) {
        Map<SimulatedNode, SimulatedDisk.Image> copies = new LinkedHashMap<>();
        copies.put(first, first.disk().image());
        for (SimulatedNode node : cluster.nodes()) {
            if (random.nextInt(4) == 0) {
                copies.put(node, node.disk().image());
            }
        }
        rollBack(copies, random.nextBoolean() && !cluster.maps().shape().isVolatile(), ROLL_BACK_TRIES);
    }

    private void rollBack(Map<SimulatedNode, SimulatedDisk.Image> copies, boolean isPowerCut, int tries) {
        world.after(1 + random.nextLong(World.SECONDS / 2), () -> {
            List<SimulatedNode> some = List.copyOf(copies.keySet());
            if (isPeace() || rollBacksLeft == 0 || tries == 0) {
                return;
            }
            if (!some.stream().allMatch(SimulatedNode::isRunning) || !cluster.maps().mayRollBack(some)) {
                rollBack(copies, isPowerCut, tries - 1);
                return;
            }
            rollBacksLeft--;
            for (SimulatedNode node : some) {
                node.crash();
                cluster.replaceStore(node, copies.get(node));
                world.after(1 + random.nextLong(World.SECONDS), () -> restart(node));
            }
            if (isPowerCut) {
                cluster.nodes().forEach(this::crash);
            }
        });
    }

    /** Also some ways to the master. */
    private void partition() {
        long sides = random.nextLong();
        partition(sides);
        for (int number = 1; number <= cluster.nodes().size(); number++) {
            if (((sides >> (number + 20)) & 1) != 0 && random.nextBoolean()) {
                cluster.master().cutOff(cluster.node(number).id());
            }
        }
        later(cluster::join);
    }

    /** Lines and clocks are as they were, too. */
    @Override
    void heal() {
        for (SimulatedNode node : cluster.nodes()) {
            step(node, 0);
            for (SimulatedNode to : cluster.nodes()) {
                if (to != node) {
                    cluster.network().way(node.address(), to.address()).line(0);
                }
            }
        }
        super.heal();
    }
}
