package io.georep.geopaxos.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How long the paper's DOP takes to decide for many objects ({@code -Dgeorep.objects=1000000} for a million), against looking at all sets of each: with three, four and eight sites, with
 * and without its two means, the busy sites only and decisions that it remembers. Between two DOPs all objects are used anew, by the same
 * sites. With the delays in tables and few busy sites, looking at all sets of these is quicker than to remember decisions.
 */
@Tag("alone")
class OptimiserSpeedTest {
    private static final int OBJECTS = Integer.getInteger("georep.objects", 200_000);
    private static final int HOT_PERCENT = 10;
    private static final int REMEMBERED = OBJECTS / 10;
    private static final int DOPS = 4;

    /** Every so many objects those decide for one that remember nothing. */
    private static final int CONTROL = 100;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Test
    void hotSitesAndWhatIsRememberedMakeItTwentyTimesQuicker() {
        double ratio = 0;
        for (int sites : new int[] {3, 4, 8}) {
            ratio = quickest(sites);
        }
        assertThat(ratio).isGreaterThan(20);
    }

    /** Returns how many times as quick as the equations it is at best. */
    private static double quickest(int sites) {
        int[][] delays = delays(sites);
        CostModel model = new CostModel(delays);
        Optimiser cache = new Optimiser(model, 0, REMEMBERED);
        Optimiser optimiser = new Optimiser(model, HOT_PERCENT, REMEMBERED);

        double ratio = 0;
        for (int dop = 1; dop <= DOPS; dop++) {
            List<SiteCounts> objects = objects(sites, dop);
            double control = nanos(objects, CONTROL, counts -> Equations.best(counts, delays));
            double tables = nanos(objects, CONTROL, counts -> model.best(counts, 0));
            double hot = nanos(objects, CONTROL, counts -> model.best(counts, HOT_PERCENT));
            double cached = nanos(objects, 1, counts -> cache.choose(counts, 1));
            long hits = optimiser.hits();
            double both = nanos(objects, 1, counts -> optimiser.choose(counts, 1));
            System.out.printf(
                    "%d sites, DOP %d: ns for each object: equations %.0f, tables %.0f, hot sites %.0f, cache %.0f, hot"
                            + " sites and cache %.0f (1/%.0f of the equations, 1/%.1f of the cache alone); %.1f %% remembered%n",
                    sites,
                    dop,
                    control,
                    tables,
                    hot,
                    cached,
                    both,
                    control / both,
                    cached / both,
                    100.0 * (optimiser.hits() - hits) / objects.size());
            ratio = Math.max(ratio, control / both);
        }
        return ratio;
    }

    private static double nanos(List<SiteCounts> objects, int every, ToIntFunction<SiteCounts> choice) {
        long sum = 0;
        long begin = THREADS.getCurrentThreadCpuTime();
        for (int object = 0; object < objects.size(); object += every) {
            sum += choice.applyAsInt(objects.get(object));
        }
        double nanos = (double) (THREADS.getCurrentThreadCpuTime() - begin) / ((objects.size() + every - 1) / every);
        assertThat(sum).isPositive();
        return nanos;
    }

    private static int[][] delays(int sites) {
        RandomGenerator random = PlacementTest.random(8);
        int[][] delays = new int[sites][sites];
        for (int from = 0; from < sites; from++) {
            for (int to = 0; to < from; to++) {
                delays[from][to] = random.nextInt(5_000, 150_000);
                delays[to][from] = delays[from][to];
            }
        }
        return delays;
    }

    /** The paper's workload with locality: half of the operations write, nearly all come from the object's home. */
    private static List<SiteCounts> objects(int sites, int dop) {
        RandomGenerator homes = PlacementTest.random(1);
        RandomGenerator random = PlacementTest.random(1 + dop);
        List<SiteCounts> objects = new ArrayList<>();
        for (int object = 0; object < OBJECTS; object++) {
            SiteCounts counts = new SiteCounts(sites);
            int home = homes.nextInt(sites);
            counts.add(home, random.nextInt(20, 60), random.nextInt(20, 60));
            for (int other = 0; other < 3; other++) {
                counts.add(random.nextInt(sites), random.nextInt(2), random.nextInt(2));
            }
            objects.add(counts);
        }
        return objects;
    }
}
