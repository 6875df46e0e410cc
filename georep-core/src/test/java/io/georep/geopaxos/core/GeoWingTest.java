package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.simulation.WingSimulation;
import io.georep.simulation.WingSimulation.Beside;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of GeoPaxos+ on the nodes of the house. */
class GeoWingTest {
    private static final int RUNS_MAX = 60;

    /** Each of these errors is noticed; {@code -Dgeorep.geo.error=NAME} plants one only. */
    @Test
    void plantedErrorsAreNoticed() {
        List<Planted> unnoticed = new ArrayList<>();
        for (Planted error : EnumSet.allOf(Planted.class)) {
            if (System.getProperty("georep.geo.error", error.name()).equals(error.name()) && !isNoticed(error)) {
                unnoticed.add(error);
            }
        }
        assertThat(unnoticed).isEmpty();
    }

    private static boolean isNoticed(Planted error) {
        for (long seed = 1; seed <= RUNS_MAX; seed++) {
            try {
                WingSimulation.run(
                        seed, Beside.NOBODY, machines -> new GeoWing(machines, node -> false, 1, error.rules));
            } catch (AssertionError noticed) {
                System.out.println(seed + " " + error + ": "
                        + noticed.getMessage().lines().limit(3).toList());
                return true;
            }
        }
        System.out.println("not noticed: " + error);
        return false;
    }
}
