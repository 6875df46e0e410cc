package io.georep.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Makes trouble of the chosen kinds at random times, for whatever lives on the nodes, until told to stop. */
public final class Nemesis {
    /**
     * How a run is troubled.
     *
     * @param kinds of trouble
     * @param gapMax the longest time between one and the next, in nanoseconds
     * @param spell draws how long one lasts, in nanoseconds
     * @param lossesMax how many stores may be lost for ever
     * @param stepMaxMillis by how much a wall clock is stepped at most
     * @param diskSlowMax the longest time of a write on a disk that is slow, in nanoseconds
     * @param settlingNanos for how long trouble may have consequences after its end
     * @param inTurn whether each kind comes once before any comes again
     */
    record Plan(
            List<Fault> kinds,
            long gapMax,
            ToLongFunction<RandomGenerator> spell,
            int lossesMax,
            ToLongFunction<RandomGenerator> stepMaxMillis,
            long diskSlowMax,
            long settlingNanos,
            boolean inTurn) {
        /** Spells that are all alike. */
        static Plan even(List<Fault> kinds, long gapMax, long spellMax, int lossesMax, long stepMax, long diskSlow) {
            return new Plan(
                    kinds,
                    gapMax,
                    random -> 1 + random.nextLong(spellMax),
                    lossesMax,
                    random -> stepMax,
                    diskSlow,
                    spellMax,
                    false);
        }
    }

    /**
     * Trouble that only one wing knows. Of those of a wing a run has one in four.
     *
     * @param name for people; that of a {@link Fault} if it is one, which options choose
     * @param happens it happens to a node
     */
    public record Special(String name, Consumer<SimulatedNode> happens) {}

    final SimulatedCluster cluster;
    final RandomGenerator random;
    final World world;
    private final Plan plan;
    private final List<Special> kinds = new ArrayList<>();
    private final Map<String, Special> ofWings = new LinkedHashMap<>();

    /** Those whose turn has not come. */
    private final List<Special> left = new ArrayList<>();

    private final NodeFaults nodes = new NodeFaults(this);
    private final LinkFaults links = new LinkFaults(this);
    private final OperatorFaults operators = new OperatorFaults(this);
    private final RemovedAlive removed;
    private int lossesLeft;
    private int era;
    private boolean over = true;

    Nemesis(SimulatedCluster cluster, Plan plan, RandomGenerator random) {
        this.cluster = cluster;
        this.plan = plan;
        this.random = random;
        world = cluster.world();
        removed = new RemovedAlive(this);
        lossesLeft = plan.lossesMax;
        for (Wing wing : cluster.wings()) {
            wing.troubles(this).forEach(special -> ofWings.put(special.name, special));
        }
        plan.kinds.forEach(kind ->
                kinds.add(ofWings.getOrDefault(kind.name(), new Special(kind.name(), node -> happen(kind, node)))));
        plan.kinds.forEach(kind -> ofWings.remove(kind.name()));
        Fault.OF_APPLICATIONS.forEach(kind -> ofWings.remove(kind.name()));
        RandomGenerator own = world.random("own troubles");
        ofWings.values().stream().filter(special -> own.nextInt(4) == 0).forEach(kinds::add);
    }

    /** From now on so many stores may be lost. */
    void losses(int most) {
        lossesLeft = most;
    }

    /** Trouble from now on, until {@link #heal}; afterwards there may be some again. */
    void start() {
        over = false;
        era++;
        if (!kinds.isEmpty()) {
            next(era);
        }
    }

    /** Whether there is no trouble now. */
    public boolean isOver() {
        return over;
    }

    private boolean isOver(int then) {
        return over || then != era;
    }

    private void next(int then) {
        world.after(1 + random.nextLong(plan.gapMax), () -> {
            if (!isOver(then)) {
                Special kind = draw();
                SimulatedNode node = any();
                world.trace().note(world.now(), "fault", kind.name, node, null, 0);
                kind.happens.accept(node);
                next(then);
            }
        });
    }

    private Special draw() {
        if (!plan.inTurn) {
            return kinds.get(random.nextInt(kinds.size()));
        }
        if (left.isEmpty()) {
            left.addAll(kinds);
        }
        return left.remove(random.nextInt(left.size()));
    }

    /** Any machine. */
    public SimulatedNode any() {
        return cluster.any(random);
    }

    private void happen(Fault kind, SimulatedNode node) {
        switch (kind) {
            case CRASH,
                    POWER_CUT,
                    STOP,
                    WIPE,
                    OLD_IMAGE,
                    DEATH,
                    REPLACE,
                    WRONG_IMAGE,
                    PAUSE,
                    SUSPEND,
                    DEAF,
                    CLOCK_STEP -> nodes.happen(kind, node);
            case DISK_FULL, DISK_HANG, DISK_SLOW, DISK_ERROR -> nodes.toDisk(kind, node);
            case PARTITION, ONE_WAY, BREAK, CLOG, NARROW, FLAP -> links.happen(kind, node);
            case LIVE_ON -> removed.happen(node);
            case LEAVE, LEAVE_AGAIN, DRAIN, REMOVE, MOVE, ORDERS -> operators.happen(kind, node);
            default -> throw new IllegalArgumentException(kind + " without applications that suffer it");
        }
    }

    /** A time as long as a trouble lasts. */
    public long spell() {
        return plan.spell.applyAsLong(random);
    }

    /** Whether what is rare happens now: always, where each kind has its turn. */
    boolean isBold() {
        return plan.inTurn || random.nextInt(4) == 0;
    }

    Plan plan() {
        return plan;
    }

    /** A trouble begins for a node, or for the way from it to another one. */
    Trouble.Item begin(Fault kind, SimulatedNode node, SimulatedNode other) {
        cluster.coverage().met(kind);
        return cluster.trouble().begin(kind, node.id(), other == null ? null : other.id());
    }

    /** A trouble begins for a node. */
    Trouble.Item begin(Fault kind, SimulatedNode node) {
        return begin(kind, node, null);
    }

    /** A trouble is over, but for its consequences. */
    void end(Trouble.Item item) {
        cluster.trouble().end(item, plan.settlingNanos);
    }

    /** Does something some time later, unless all trouble is over before. */
    public void later(long nanos, Runnable action) {
        int then = era;
        world.after(nanos, () -> {
            if (!isOver(then)) {
                action.run();
            }
        });
    }

    /** Lets a trouble be over some time later, unless all trouble is over before. */
    void later(Trouble.Item item, long nanos, Runnable end) {
        later(nanos, () -> {
            end(item);
            end.run();
        });
    }

    void crash(Fault kind, SimulatedNode node, Runnable restart) {
        nodes.crash(kind, node, restart);
    }

    /** A process dies, and comes back after a spell. */
    public void crash(Fault kind, SimulatedNode node) {
        nodes.crash(kind, node, () -> restart(node));
    }

    /** Starts a process where none runs, unless the machine is dead. */
    public void restart(SimulatedNode node) {
        if (!cluster.isDead(node) && !node.isRunning()) {
            node.start();
        }
    }

    /** Whether a store may be lost at any time. An emptied node that is its own only seed begins a cluster of its own. */
    boolean mayLose(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        return !cluster.isOnlySeed(node)
                && mayLoseAnyway(node, image != null)
                && (image == null || cluster.wings().stream().allMatch(wing -> wing.mayRollBack(node, image)));
    }

    /** Whether a store may be lost while all other nodes are on their way back. */
    boolean mayBeEmptied(SimulatedNode node) {
        return mayLoseAnyway(node, false);
    }

    private boolean mayLoseAnyway(SimulatedNode node, boolean becomesOlder) {
        return lossesLeft > 0 && cluster.wings().stream().allMatch(wing -> wing.mayLose(node, becomesOlder));
    }

    /** Whether a node may be gone for good. */
    boolean mayDie(SimulatedNode node) {
        return lossesLeft > 0
                && alive() > 2
                && !cluster.isOnlySeed(node)
                && cluster.wings().stream().allMatch(wing -> wing.mayDie(node));
    }

    boolean hasLossesLeft() {
        return lossesLeft > 0;
    }

    void lost() {
        lossesLeft--;
    }

    long alive() {
        return cluster.nodes().stream().filter(node -> !cluster.isDead(node)).count();
    }

    /** All ways are open and quick. */
    void openWays() {
        cluster.eachWay((from, to) -> {
            cluster.way(from, to).heal();
            cluster.way(from, to).line(0);
        });
    }

    /** No more trouble: everything is repaired, everybody but the dead comes back. */
    void heal() {
        over = true;
        cluster.trouble().endAll(plan.settlingNanos);
        openWays();
        for (SimulatedNode from : cluster.nodes()) {
            from.disk().mend();
            if (from.isRunning() && from.isPaused()) {
                from.resume();
            }
            if (from.isRunning()) {
                from.threads().goOn();
            }
            if (from.isRunning() && cluster.isLeaving(from)) {
                from.stop();
            }
            restart(from);
        }
        cluster.wings().forEach(Wing::healed);
        removed.meet();
    }
}
