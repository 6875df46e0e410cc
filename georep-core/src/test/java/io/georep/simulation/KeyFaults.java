package io.georep.simulation;

import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.membership.MembershipCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What goes wrong in a run of {@link KeySimulation}, of the kinds that were drawn for it. */
final class KeyFaults extends NodeFaults<KeyCluster, Fault> {
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

    private static final EnumSet<Fault> LOSSES = EnumSet.of(Fault.WIPE, Fault.OLD_IMAGE, Fault.DEATH, Fault.REMOVE);

    private static final long GAP_MAX = 8 * World.SECONDS;
    private static final long REPAIR_MAX = 20 * World.SECONDS;

    /** Nodes that never come back. */
    private final Set<SimulatedNode> dead = new HashSet<>();

    /**
     * Plans nothing yet.
     *
     * @param losses how many stores may be lost
     */
    KeyFaults(KeyCluster cluster, List<Fault> kinds, int losses, RandomGenerator random) {
        super(cluster, kinds, GAP_MAX, REPAIR_MAX, losses, random);
    }

    /** Draws the kinds for a run. */
    static List<Fault> draw(RandomGenerator random) {
        List<Fault> kinds = new ArrayList<>();
        for (Fault kind : KINDS) {
            if (random.nextInt(3) == 0) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    @Override
    void happen(Fault kind, SimulatedNode node) {
        switch (kind) {
            case CRASH -> crash(node);
            case POWER_CUT -> cluster.nodes().forEach(this::crash);
            case WIPE, OLD_IMAGE -> lose(node, kind == Fault.OLD_IMAGE);
            case DEATH, REMOVE -> die(node, kind == Fault.REMOVE);
            case DISK_FULL -> fillDisk(node);
            case DISK_HANG -> {
                node.disk().hang(true, true);
                later(() -> {
                    node.disk().hang(false, false);
                    restart(node);
                });
            }
            case DISK_ERROR -> breakDisk(node);
            case DISK_SLOW ->
                slowDisk(node, new SimulatedDisk.Speed(World.MILLIS, 400 * World.MILLIS, 200 * World.MILLIS));
            case PARTITION -> {
                partition(random.nextLong());
                later(cluster::join);
            }
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

    /** Whether a store may be lost in this run. */
    boolean mayLoseStores() {
        return lossesLeft > 0 && !Collections.disjoint(kinds(), LOSSES);
    }

    private Way way(SimulatedNode from) {
        int to = 1 + random.nextInt(cluster.nodes().size() - 1);
        int number = 1 + cluster.nodes().indexOf(from);
        return cluster.way(number, to >= number ? to + 1 : to);
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

    @Override
    boolean mayLose(SimulatedNode node) {
        return random.nextInt(3) == 0;
    }

    @Override
    boolean comesBack(SimulatedNode node) {
        return !dead.contains(node);
    }

    /** Also, operators remove the dead. */
    @Override
    void heal() {
        super.heal();
        world.after(5 * World.SECONDS, this::removeDead);
        world.after(10 * World.SECONDS, () -> cluster.nodes().forEach(this::restart));
    }
}
