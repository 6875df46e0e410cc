package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What a node sends: messages as they are on the wire, and 85 bytes for the layers below each of them. */
class FleetCostTest {
    private static final int NODES = Integer.getInteger("georep.fleet.nodes", 60);

    private static final long SECONDS = Long.getLong("georep.fleet.seconds", 10);

    /** Returns the bytes a second that a node sends while the fleet has so many operations in a second. */
    private static double bytesPerSecond(double rate, long warmMillis) {
        return bytesPerSecond(NODES, 1000, rate, warmMillis, SECONDS);
    }

    private static double bytesPerSecond(int nodes, int settingsFor, double rate, long warmMillis, long seconds) {
        FleetRun run = new FleetRun();
        run.nodes = nodes;
        run.settings = FleetSettings.hardened(settingsFor);
        run.rate = 0;
        run.millis = warmMillis + 1000 * seconds + 8_000;
        long[] before = new long[1];
        run.script = fleet -> {
            if (fleet.now == warmMillis) {
                before[0] = fleet.bytes;
                fleet.bytesByType.clear();
            }
            run.countsBytes = fleet.now >= warmMillis && fleet.now < run.millis - 8_000;
            if (fleet.now > warmMillis - 8_000
                    && fleet.now < run.millis - 8_000
                    && fleet.random.nextDouble() < rate / 1000) {
                Slice key = Slice.utf8("key" + fleet.random.nextInt(100));
                RequestId request = new RequestId(9, fleet.now);
                Slice value = Slice.utf8("v".repeat(90) + fleet.now);
                FleetOperation put = new FleetOperation(request, FleetOperation.Kind.PUT, key, value);
                fleet.submit(fleet.any(), put, FleetConsistency.ORDERED, OrderKey.FIRST, 1, outcome -> {});
            }
        };
        FleetSimulation fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();
        double each = fleet.bytes / (double) seconds / nodes;
        fleet.bytesByType.replaceAll((type, bytes) -> bytes / seconds / nodes);
        System.out.printf("%d nodes, %.0f op/s: %.0f bytes/s %s %s%n", nodes, rate, each, fleet.bytesByType, judge);
        return each;
    }

    @Test
    void aNodeOfAFleetThatDoesNothingSendsLittle() {
        assertThat(bytesPerSecond(0, 60_000)).isLessThan(2_000);
    }

    /** All figures of the page: {@code -Dgeorep.fleet.all=true}. */
    @Test
    @EnabledIfSystemProperty(named = "georep.fleet.all", matches = "true")
    void figures() {
        assertThat(bytesPerSecond(1, 60_000)).isLessThan(3_000);
        assertThat(bytesPerSecond(100, 12_000)).isLessThan(78_000);
    }

    @Test
    void anOperationCostsEachNodeAFewBodiesAtMost() {
        assertThat(bytesPerSecond(10, 12_000)).isLessThan(15_000);
    }

    /** Prints one figure of the page: nodes, for how many the settings are, operations a second, seconds before, seconds. */
    public static void main(String[] args) {
        bytesPerSecond(
                Integer.parseInt(args[0]),
                Integer.parseInt(args[1]),
                Double.parseDouble(args[2]),
                1000 * Long.parseLong(args[3]),
                Long.parseLong(args[4]));
    }
}
