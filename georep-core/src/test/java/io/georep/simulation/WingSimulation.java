package io.georep.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs of a wing that is not of this house. One seed is one run. */
public final class WingSimulation {
    /** Who lives on the same nodes. */
    public enum Beside {
        /** Nobody: a minute of trouble for three nodes, cheaply. */
        NOBODY,
        /** An outbox, with what is drawn for it: two to seven nodes. */
        OUTBOX,
        /** All wings of this house, in all circumstances. */
        ALL
    }

    private WingSimulation() {}

    /**
     * Runs a seed: trouble, then peace in which everything that was promised must come true.
     *
     * @param seed from 0 to 10^15
     * @param wing makes the wing for the machines of the run; its errors, if some are to be planted, are its own affair
     * @return what became of the wings, on one line; equal for equal runs, if the wing says so
     * @throws AssertionError a promise was broken, by this wing or by another one; says all that is needed to see it again
     */
    public static String run(long seed, Beside beside, Function<Machines, ? extends Wing> wing) {
        SimulationOptions options = switch (beside) {
            case NOBODY -> Wings.alone(seed);
            case OUTBOX -> Swarm.swarm(seed);
            case ALL -> Swarm.swarm(Swarm.WINGS + seed);
        };
        Function<SimulatedCluster, List<? extends Wing>> others = options.wings;
        options.wings = cluster -> {
            List<Wing> wings = new ArrayList<>(others.apply(cluster));
            wings.add(wing.apply(cluster));
            return wings;
        };
        return Simulation.run(options).wings();
    }
}
