package io.georep.geopaxos.core;

import io.georep.simulation.WingSimulation;
import io.georep.simulation.WingSimulation.Beside;
import org.junit.jupiter.api.Test;

/** GeoPaxos+ on the nodes of the house. */
class GeoWingTest {
    private static String run(long seed, Beside beside) {
        return WingSimulation.run(seed, beside, machines -> new GeoWing(machines, node -> false, 1));
    }

    @Test
    void fixedSeedsKeepAllPromises() {
        long first = Long.getLong("georep.geo.seed", 1);
        for (long seed = first; seed < first + Long.getLong("georep.geo.runs", 6); seed++) {
            System.out.println(seed + ": " + run(seed, Beside.NOBODY));
        }
    }
}
