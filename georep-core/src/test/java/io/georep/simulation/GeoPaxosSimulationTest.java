package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** GeoPaxos+ with an ordered map in all kinds of trouble, by seeds; see {@link io.georep.geopaxos.core.GeoWing} for what must be true. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GeoPaxosSimulationTest {
    private static final int FIXED_RUNS = 12;
    private static final int FRESH_RUNS = 6;
    private static final int FLAWED_RUNS = 100;

    /** Errors that are rarely noticed: shortly before a run that does. */
    private static final Map<String, Integer> FIRST_FLAWED =
            Map.of("NEXT_INCARNATION", 22, "CALLERS_TRUST_THE_LAST_TURN", 24);

    @Test
    void fixedSeedsKeepAllPromises() throws InterruptedException {
        run(Swarm.GEOPAXOS + Long.getLong("georep.geo.seed", 0), Integer.getInteger("georep.geo.runs", FIXED_RUNS));
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        run(Swarm.GEOPAXOS + SimulationTest.sourceHash() * 1000, FRESH_RUNS);
    }

    private static void run(long first, int count) throws InterruptedException {
        long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
        assertThat(Runs.run(first, count, limit, Swarm::swarm).runs()).isEqualTo(count);
    }

    /** Also if its options are used again: the turns that a failure tells are of such a run. */
    @Test
    void oneSeedGivesOneTrace() {
        SimulationOptions options = Swarm.swarm(Swarm.GEOPAXOS);
        Simulation.Result first = Simulation.run(options);
        assertThat(Simulation.run(options).traceHash()).isEqualTo(first.traceHash());
        assertThat(Simulation.run(Swarm.swarm(Swarm.GEOPAXOS))).hasToString(first.toString());
    }

    /** Errors inside the protocol are noticed by some run; its own cluster of tests notices each of them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "NO_BARRIER",
                "BEFORE_ITS_SYNC",
                "NO_ORDER",
                "MOVES_PASS",
                "NO_COVERAGE_TEST",
                "WRITES_LIKE_READS",
                "NO_TABLE",
                "WATERMARK",
                "NEXT_INCARNATION",
                "SNAPSHOT_IS_NO_CUT",
                "READS_PASS_WRITES",
                "CALLERS_TRUST_THE_LAST_TURN",
                "CALLERS_PASS_WRITES",
                "CALLERS_PASS_PROPOSALS",
                "READ_ELSEWHERE",
                "READ_IN_PART"
            })
    void plantedErrorsAreNoticed(String error) {
        String noticed = "";
        long first = FIRST_FLAWED.getOrDefault(error, 1);
        for (long seed = first; seed < first + FLAWED_RUNS && noticed.isEmpty(); seed++) {
            try {
                Simulation.run(Wings.geopaxos(Swarm.GEOPAXOS + seed, error));
            } catch (AssertionError e) {
                noticed = e.getMessage();
            }
        }
        assertThat(noticed).isNotEmpty();
    }
}
