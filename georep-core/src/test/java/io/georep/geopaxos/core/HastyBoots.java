package io.georep.geopaxos.core;

import io.georep.simulation.Fault;
import io.georep.simulation.Nemesis;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.World;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Trouble of a {@link GeoWing}: the clock of a machine is ahead while a process boots, and right when the next ones do. Each of these
 * ends when it has asked a group for something, which it may not learn to be decided.
 */
final class HastyBoots {
    private static final int BOOTS = 4;
    private static final long AHEAD_MILLIS = 60_000;

    /** The first process lives until all know of it. */
    private static final long FIRST_LIFE = 2 * World.SECONDS;

    private static final long LIFE_MAX = World.SECONDS / 5;

    private final World world;
    private final RandomGenerator random;

    /** How often each is still to boot. */
    private final Map<SimulatedNode, Integer> left = new HashMap<>();

    HastyBoots(World world) {
        this.world = world;
        random = world.random("hasty boots");
    }

    Nemesis.Special trouble(Nemesis nemesis) {
        return new Nemesis.Special("HASTY_BOOTS", node -> {
            if (node.isListening() && !node.isPaused() && left.putIfAbsent(node, BOOTS) == null) {
                boot(nemesis, node, AHEAD_MILLIS);
            }
        });
    }

    /** An operation leaves for a group. */
    void asks(Nemesis nemesis, SimulatedNode node) {
        Integer boots = left.get(node);
        if (boots == null) {
            return;
        }
        if (boots == 1 || nemesis.isOver()) {
            left.remove(node);
            return;
        }
        left.put(node, boots - 1);
        int boot = node.boots();
        world.after(boots == BOOTS ? FIRST_LIFE : 1 + random.nextLong(LIFE_MAX), () -> {
            if (node.isListening() && node.boots() == boot && !nemesis.isOver()) {
                boot(nemesis, node, 0);
            }
        });
    }

    private static void boot(Nemesis nemesis, SimulatedNode node, long ahead) {
        nemesis.crash(Fault.CRASH, node);
        if (!node.isRunning()) {
            node.clock().step(ahead);
            nemesis.restart(node);
            node.clock().step(-ahead);
        }
    }
}
