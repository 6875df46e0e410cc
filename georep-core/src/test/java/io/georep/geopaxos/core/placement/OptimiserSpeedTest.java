package io.georep.geopaxos.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How long it takes to decide for a million objects of eight sites, against looking at all sets of each. It prints what each means
 * brings: with the delays in tables and few busy sites, looking at all sets of these is quicker than to remember decisions.
 */
@Tag("alone")
class OptimiserSpeedTest {
    private static final int SITES = 8;
    private static final int OBJECTS = Integer.getInteger("georep.objects", 1_000_000);

    /** Every so many objects the control decides for one. */
    private static final int CONTROL = 100;

    @Test
    void hotSitesAndWhatIsRememberedMakeItTwentyTimesQuicker() {
        int[][] delays = delays();
        CostModel model = new CostModel(delays);
        List<SiteCounts> objects = objects();
        Optimiser optimiser = new Optimiser(model, 10, 100_000);

        double ratio = 0;
        for (int round = 0; round < 3; round++) {
            double control = nanos(objects, CONTROL, counts -> Equations.best(counts, delays));
            double tables = nanos(objects, CONTROL, counts -> model.best(counts, 0));
            double hot = nanos(objects, CONTROL, counts -> model.best(counts, 10));
            double both = nanos(objects, 1, counts -> optimiser.choose(counts, 1));
            System.out.printf(
                    "ns for each object: equations %.0f, tables %.0f, hot sites %.0f, hot sites and cache %.0f;"
                            + " 1/%.0f of the equations; %d of %d remembered%n",
                    control, tables, hot, both, control / both, optimiser.hits(), (round + 1L) * objects.size());
            ratio = Math.max(ratio, control / both);
        }

        assertThat(ratio).isGreaterThan(20);
    }

    private static double nanos(List<SiteCounts> objects, int every, ToIntFunction<SiteCounts> choice) {
        long sum = 0;
        long begin = System.nanoTime();
        for (int object = 0; object < objects.size(); object += every) {
            sum += choice.applyAsInt(objects.get(object));
        }
        double nanos = (double) (System.nanoTime() - begin) / ((objects.size() + every - 1) / every);
        assertThat(sum).isPositive();
        return nanos;
    }

    private static int[][] delays() {
        RandomGenerator random = PlacementTest.random(8);
        int[][] delays = new int[SITES][SITES];
        for (int from = 0; from < SITES; from++) {
            for (int to = 0; to < from; to++) {
                delays[from][to] = random.nextInt(5_000, 150_000);
                delays[to][from] = delays[from][to];
            }
        }
        return delays;
    }

    /** The paper's workload with locality: half of the operations write, nearly all come from the object's home. */
    private static List<SiteCounts> objects() {
        RandomGenerator random = PlacementTest.random(1);
        List<SiteCounts> objects = new ArrayList<>();
        for (int object = 0; object < OBJECTS; object++) {
            SiteCounts counts = new SiteCounts(SITES);
            int home = random.nextInt(SITES);
            counts.add(home, random.nextInt(20, 60), random.nextInt(20, 60));
            for (int other = 0; other < 3; other++) {
                counts.add(random.nextInt(SITES), random.nextInt(2), random.nextInt(2));
            }
            objects.add(counts);
        }
        return objects;
    }
}
