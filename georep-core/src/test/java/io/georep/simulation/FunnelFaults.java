package io.georep.simulation;

import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** What goes wrong in a run of {@link FunnelSimulation}, of the kinds that were drawn for it. */
final class FunnelFaults {
    /** Kinds of trouble. */
    enum Trouble {
        CRASH,
        CRASH_TAIL,
        CRASH_HEAD,
        POWER_CUT,
        WIPE,
        OLD_IMAGE,
        DISK_FULL,
        DISK_SLOW,
        DISK_ERROR,
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

    private static final int FLOOD_MIN = 1_000;
    private static final int FLOODED_RUNS = 100;
    private static final long STEP_MAX_MILLIS = 5_000;

    /** What settings must allow for a flood. */
    static final int FLOOD_UNCOMMITTED = 4 * FLOOD_MIN;

    private final RandomGenerator random;
    private final FunnelCluster cluster;
    private final World world;
    private final List<Trouble> kinds;
    private final TreeMap<String, SimulatedDisk.Image> images = new TreeMap<>();
    private final Map<SimulatedNode, Long> steps = new HashMap<>();
    private int floodsLeft = 1;
    private int lossesLeft;
    private boolean over;

    /**
     * Plans nothing yet.
     *
     * @param losses how many stores may be lost
     */
    FunnelFaults(FunnelCluster cluster, List<Trouble> kinds, int losses, RandomGenerator random) {
        this.cluster = cluster;
        this.kinds = kinds;
        this.random = random;
        world = cluster.world();
        lossesLeft = losses;
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

    /** Plans the next one, and so on until peace. */
    void plan() {
        if (!kinds.isEmpty()) {
            world.after(1 + random.nextLong(2 * World.SECONDS), () -> {
                if (!over) {
                    happen(kinds.get(random.nextInt(kinds.size())));
                    plan();
                }
            });
        }
    }

    SimulatedNode any() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private void happen(Trouble kind) {
        SimulatedNode node = any();
        world.trace().note(world.now(), "fault", kind, node, null, 0);
        switch (kind) {
            case CRASH -> crash(node);
            case CRASH_TAIL, CRASH_HEAD -> crash(member(kind == Trouble.CRASH_TAIL, node));
            case POWER_CUT -> cluster.nodes().forEach(this::crash);
            case WIPE, OLD_IMAGE -> lose(node, kind == Trouble.OLD_IMAGE);
            case DISK_FULL -> {
                node.disk().full(true);
                later(() -> node.disk().full(false));
            }
            case DISK_ERROR -> {
                node.disk().breakDown();
                later(() -> restart(node));
            }
            case DISK_SLOW -> {
                node.disk().speed(new SimulatedDisk.Speed(World.MILLIS, 100 * World.MILLIS, 50 * World.MILLIS));
                later(() -> node.disk().mend());
            }
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

    private void later(Runnable end) {
        world.after(1 + random.nextLong(4 * World.SECONDS), () -> {
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
        if (!node.isRunning()) {
            node.start();
        }
    }

    /** Only while others have everything: who loses the only copy has lost it. */
    private void lose(SimulatedNode node, boolean isOldImage) {
        if (isOldImage && !images.containsKey(node.id().value())) {
            images.put(node.id().value(), node.disk().image());
        } else if (lossesLeft > 0 && node.isRunning() && cluster.mayLose(node)) {
            lossesLeft--;
            node.crash();
            cluster.replaceStore(node, isOldImage ? images.remove(node.id().value()) : null);
            later(() -> restart(node));
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
            if (((sides >> (a + 20)) & 1) != 0 && random.nextBoolean()) {
                cluster.master().cutOff(cluster.node(a).id());
            }
        }
        later(cluster::join);
    }

    /** Everything is repaired, and everybody comes back. */
    void heal() {
        over = true;
        cluster.loses(0);
        cluster.join();
        for (SimulatedNode node : cluster.nodes()) {
            node.disk().mend();
            step(node, 0);
            for (SimulatedNode to : cluster.nodes()) {
                if (to != node) {
                    cluster.network().way(node.address(), to.address()).line(0);
                }
            }
            if (node.isPaused()) {
                node.resume();
            }
            restart(node);
        }
        world.after(2 * World.SECONDS, () -> cluster.nodes().forEach(this::restart));
    }
}
