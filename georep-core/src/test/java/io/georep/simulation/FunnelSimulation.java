package io.georep.simulation;

import io.georep.funnel.Topology;
import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** One run: clients of a replicated map in all kinds of trouble, then peace in which everything must come to an end. */
final class FunnelSimulation {
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

    private static final long WARM_UP = 1 * World.SECONDS;
    private static final long TROUBLE = 6 * World.SECONDS;
    private static final long PEACE = 20 * World.SECONDS;
    private static final int ATTEMPTS_MAX = 6;
    private static final int BURST_MAX = 20;
    private static final int FLOOD_MIN = 1_000;
    private static final long STEP_MAX_MILLIS = 5_000;

    private final RandomGenerator random;
    private final FunnelCluster cluster;
    private final World world;
    private final List<Trouble> kinds = new ArrayList<>();
    private final TreeMap<String, SimulatedDisk.Image> images = new TreeMap<>();
    private final List<String> values = new ArrayList<>();
    private final int keys;
    private final long gap;
    private final boolean isLarge;

    /** One value of so many has a time to live. */
    private final int mortal;

    /** One call of so many is one of a burst. */
    private final int bursts;

    private final Map<SimulatedNode, Long> steps = new HashMap<>();
    private int floodsLeft;
    private int lossesLeft;
    private boolean over;

    private FunnelSimulation(long seed, FunnelCluster.Flaw flaw) {
        random = new World(seed).random("funnel run");
        int nodes = 1 + random.nextInt(5);
        int founders = 1 + random.nextInt(nodes);
        keys = 1 + random.nextInt(3);
        gap = 20 * World.MILLIS + random.nextLong(600 * World.MILLIS);
        isLarge = random.nextInt(8) == 0;
        lossesLeft = random.nextInt(nodes);
        mortal = random.nextInt(6) == 0 ? 2 : 8;
        bursts = random.nextInt(3) == 0 ? 5 : 40;
        boolean isTight = random.nextInt(4) == 0;
        SimulatedNetwork.Settings network = new SimulatedNetwork.Settings(
                200 * World.MILLIS,
                50 * World.MILLIS,
                500 * World.MILLIS,
                isTight ? 2 << 10 : 256 << 10,
                isTight ? 8 << 10 : 16 << 20,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
        for (Trouble kind : EnumSet.allOf(Trouble.class)) {
            if (random.nextInt(kind == Trouble.FLOOD ? 100 : 4) == 0) {
                kinds.add(kind);
            }
        }
        floodsLeft = kinds.contains(Trouble.FLOOD) ? 1 : 0;
        FunnelCluster.Shape shape = FunnelCluster.Shape.of(seed, nodes);
        shape = shape.founders(founders)
                .network(network)
                .flaw(flaw)
                .settings(floodsLeft > 0 ? shape.settings().uncommitted(4 * FLOOD_MIN, 20) : shape.settings());
        shape = kinds.contains(Trouble.CLOCK_STEP) ? shape.stepping() : shape;
        cluster = new FunnelCluster(random.nextBoolean() ? shape.drifting() : shape);
        world = cluster.world();
    }

    /** Runs it; throws when a promise was broken. Returns what happened, on one line. */
    static String run(long seed) {
        return run(seed, FunnelCluster.Flaw.NONE);
    }

    /** The same with a mistake put in. */
    static String run(long seed, FunnelCluster.Flaw flaw) {
        return simulate(seed, flaw).summary();
    }

    static FunnelSimulation simulate(long seed, FunnelCluster.Flaw flaw) {
        FunnelSimulation simulation = new FunnelSimulation(seed, flaw);
        try {
            simulation.run();
            return simulation;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + " " + simulation.cluster.nodes().size() + " nodes " + simulation.kinds + ": "
                            + e.getMessage() + "\n  "
                            + String.join("\n  ", simulation.world.trace().tail()),
                    e);
        }
    }

    FunnelCluster cluster() {
        return cluster;
    }

    private String summary() {
        return "trace " + world.trace().hash() + " " + cluster.judge();
    }

    private void run() {
        cluster.nodes().forEach(SimulatedNode::start);
        world.run(WARM_UP);
        for (int client = 1; client <= 4; client++) {
            new Client(client).plan();
        }
        planFault();
        world.run(TROUBLE);
        over = true;
        heal();
        for (long left = PEACE; left > 0 && !cluster.judge().isSettled(); left -= World.SECONDS / 4) {
            world.run(World.SECONDS / 4);
        }
        cluster.judge().settled();
    }

    /** Does one thing after the other; repeats what has no outcome, if it has numbers for it. */
    private final class Client {
        private final String name;
        private long operations;

        /** Calls that are not over. */
        private int running;

        Client(int number) {
            name = "c" + number;
        }

        void plan() {
            world.after(1 + random.nextLong(gap), () -> {
                if (!over) {
                    begin();
                }
            });
        }

        /** Makes one call, or many at one node at one time. */
        private void begin() {
            running = random.nextInt(bursts) == 0 ? 2 + random.nextInt(BURST_MAX) : 1;
            SimulatedNode node = any();
            for (int left = running; left > 0; left--) {
                FunnelCall call = draw(running > 1 && random.nextInt(4) > 0 ? "b" + random.nextInt(BURST_MAX) : "k" + random.nextInt(keys));
                if (call.kind != Kind.READ && random.nextInt(3) > 0) {
                    call.client = name;
                    call.operation = ++operations;
                }
                call.topology = Topology.values()[random.nextInt(Topology.values().length)];
                call.afterwards = () -> ended(call);
                attempt(call, node);
            }
        }

        private void attempt(FunnelCall call, SimulatedNode node) {
            if (node.isListening()) {
                cluster.judge().attempt(call, node);
            } else {
                world.after(100 * World.MILLIS, () -> again(call));
            }
        }

        private void again(FunnelCall call) {
            if (!over) {
                attempt(call, any());
            }
        }

        private void ended(FunnelCall call) {
            boolean isRepeated = !call.isOver
                    && call.attempts < ATTEMPTS_MAX
                    && (call.client != null || !call.isInDoubt);
            if (isRepeated) {
                world.after(1 + random.nextLong(400 * World.MILLIS), () -> again(call));
            } else if (--running == 0) {
                plan();
            }
        }

        private FunnelCall draw(String key) {
            int what = random.nextInt(20);
            if (what < 10) {
                return new FunnelCall(Kind.READ, key, null, null);
            } else if (what < 12) {
                return new FunnelCall(Kind.REMOVE, key, null, null);
            }
            String expected =
                    values.isEmpty() ? "none" : values.get(Math.max(0, values.size() - 1 - random.nextInt(4)));
            String value = "<" + values.size() + name + ">";
            values.add(value);
            if (what < 14) {
                return new FunnelCall(Kind.REPLACE, key, value, expected);
            }
            FunnelCall call = new FunnelCall(what < 16 ? Kind.PUT_IF_ABSENT : Kind.PUT, key, value, null);
            call.padding = isLarge && random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(100);
            call.timeToLiveMillis = random.nextInt(mortal) == 0 ? 200 + random.nextInt(2_000) : 0;
            return call;
        }
    }

    private void planFault() {
        if (!kinds.isEmpty()) {
            world.after(1 + random.nextLong(2 * World.SECONDS), () -> {
                if (!over) {
                    happen(kinds.get(random.nextInt(kinds.size())));
                    planFault();
                }
            });
        }
    }

    private SimulatedNode any() {
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
    private void heal() {
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

    /** Runs seeds from the command line: {@code first count}. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        int failures = 0;
        for (long seed = first; seed < first + count; seed++) {
            try {
                String line = run(seed);
                if (count <= 20) {
                    System.out.println(seed + " " + line);
                }
            } catch (AssertionError e) {
                failures++;
                String message = String.valueOf(e.getMessage());
                System.out.println(
                        count == 1 ? message : message.lines().findFirst().orElse(""));
                if (count == 1) {
                    e.printStackTrace(System.out);
                }
            }
        }
        System.out.println(count + " runs, " + failures + " failures");
    }
}
