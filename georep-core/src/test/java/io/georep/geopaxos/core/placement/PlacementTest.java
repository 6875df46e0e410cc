package io.georep.geopaxos.core.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The placement of objects against the figures of the paper and against its equations computed word by word. */
class PlacementTest {
    private static final int A = 1;
    private static final int B = 2;
    private static final int C = 4;

    private static final int[][] PAPER = {{0, 150, 70}, {150, 0, 90}, {70, 90, 0}};

    private final CostModel model = new CostModel(PAPER);

    /** The workload of the paper's table I. */
    private static SiteCounts example() {
        return new SiteCounts(3).add(0, 10, 10).add(1, 100, 1).add(2, 50, 5);
    }

    @Test
    void tableOneOfThePaper() {
        Map<Integer, Long> costs =
                Map.of(A, 19000L, B, 7950L, C, 10490L, A | B, 6250L, A | C, 10210L, B | C, 2840L, A | B | C, 2400L);

        costs.forEach((set, cost) ->
                assertThat(model.cost(set, example())).as("set " + set).isEqualTo(cost));
        assertThat(model.best(example(), 0)).isEqualTo(A | B | C);
        assertThat(model.longestWait(A | C)).isEqualTo(70);
        assertThat(IntStream.range(0, 3).map(site -> model.nearest(A | C, site)))
                .containsExactly(0, 90, 0);
    }

    /** A has 20 operations and B 101: 19.8 %. */
    @Test
    void sitesWithFewOperationsAreLeftOut() {
        assertThat(model.best(example(), 10)).isEqualTo(A | B | C);
        assertThat(model.best(example(), 19)).isEqualTo(A | B | C);
        assertThat(model.best(example(), 20)).isEqualTo(B | C);
    }

    @Test
    void keysAreCutNotRounded() {
        assertThat(WorkloadKey.of(example())).hasToString("011050057000031009");
        assertThat(WorkloadKey.of(new SiteCounts(2).add(1, 0, 3))).hasToString("000000100100");
    }

    @Test
    void theKeyOfTheCountsOfAKeyChoosesTheSame() {
        SiteCounts few = example();
        SiteCounts many =
                new SiteCounts(3).add(0, 10_000, 10_000).add(1, 100_000, 1_000).add(2, 50_000, 5_000);

        assertThat(WorkloadKey.of(many)).isEqualTo(WorkloadKey.of(few));
        assertThat(WorkloadKey.of(few).counts())
                .isEqualTo(new SiteCounts(3)
                        .add(0, 23 * 99, 23 * 101)
                        .add(1, 115 * 199, 115)
                        .add(2, 63 * 181, 63 * 19));
    }

    @Test
    void equalCostsGoToFewerAndThenToLowerSites() {
        int[][] alike = {{0, 5, 5, 5}, {5, 0, 5, 5}, {5, 5, 0, 5}, {5, 5, 5, 0}};
        CostModel even = new CostModel(alike);
        SiteCounts writes = new SiteCounts(4).add(1, 0, 7).add(2, 0, 7).add(3, 0, 7);

        assertThat(even.best(writes, 0)).isEqualTo(0b0010);
        List<Integer> order = new ArrayList<>(
                IntStream.range(1, 16).boxed().sorted(PlacementTest::compare).toList());
        assertThat(order)
                .containsExactly(
                        1, 2, 4, 8, 0b11, 0b101, 0b1001, 0b110, 0b1010, 0b1100, 0b111, 0b1011, 0b1101, 0b1110, 15);
        for (int low = 0; low < order.size(); low++) {
            for (int high = 0; high < order.size(); high++) {
                assertThat(CostModel.isBefore(order.get(low), order.get(high))).isEqualTo(low < high);
            }
        }
    }

    @Test
    void chosenIsWhatTheEquationsSay() {
        for (int seed = 0; seed < 500; seed++) {
            RandomGenerator random = random(seed);
            int sites = random.nextInt(1, 7);
            int[][] delays = new int[sites][sites];
            SiteCounts counts = new SiteCounts(sites).add(random.nextInt(sites), 1, 0);
            for (int from = 0; from < sites; from++) {
                for (int to = 0; to < sites; to++) {
                    // Few different values, and not the same both ways: ties are frequent.
                    delays[from][to] = from == to ? 0 : random.nextInt(1, 6);
                }
                counts.add(from, random.nextInt(5), random.nextInt(3));
            }

            int expected = IntStream.range(1, 1 << sites)
                    .boxed()
                    .min(Comparator.<Integer>comparingLong(set -> Equations.cost(set, counts, delays))
                            .thenComparing(PlacementTest::compare))
                    .orElseThrow();

            assertThat(new CostModel(delays).best(counts, 0)).as("seed " + seed).isEqualTo(expected);
        }
    }

    @Test
    void theLargestNumbersFit() {
        int[][] delays = new int[CostModel.SITES_MAX][CostModel.SITES_MAX];
        SiteCounts counts = new SiteCounts(CostModel.SITES_MAX);
        for (int site = 0; site < delays.length; site++) {
            Arrays.fill(delays[site], CostModel.DELAY_MICROS_MAX);
            delays[site][site] = 0;
            counts.add(site, SiteCounts.MAX, SiteCounts.MAX).add(site, 5, 5);
        }
        CostModel far = new CostModel(delays);

        long farthest = (long) SiteCounts.MAX * CostModel.DELAY_MICROS_MAX;
        assertThat(far.cost(1, counts)).isEqualTo(22 * farthest);
        assertThat(far.cost(3, counts)).isEqualTo((12 + 20) * farthest);
        assertThat(far.best(counts, 0)).isEqualTo(0xfff);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new CostModel(new int[][] {{0, 1}, {1, 1}}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CostModel(new int[][] {{0, -1}, {1, 0}}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CostModel(new int[][] {{0, CostModel.DELAY_MICROS_MAX + 1}, {1, 0}}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CostModel(new int[13][13])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> model.best(new SiteCounts(3), 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> model.cost(0, example())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> model.cost(8, example())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SiteCounts(1).add(0, -1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothingIsMovedForNothing() {
        Optimiser optimiser = new Optimiser(model, 10, 10);
        SiteCounts everywhere = new SiteCounts(3).add(0, 5, 0).add(1, 5, 0).add(2, 5, 0);

        assertThat(optimiser.choose(new SiteCounts(3), B)).isEqualTo(B);
        assertThat(optimiser.choose(new SiteCounts(3).add(0, 5, 0), A | C))
                .as("read at A only: {A} costs the same as {A, C}")
                .isEqualTo(A | C);
        assertThat(optimiser.choose(everywhere, A)).isEqualTo(A | B | C);
        assertThat(model.choose(new SiteCounts(3), 10, B)).isEqualTo(B);
        assertThat(model.choose(new SiteCounts(3).add(0, 5, 0), 10, A | C)).isEqualTo(A | C);
        assertThat(model.choose(everywhere, 10, A)).isEqualTo(A | B | C);
    }

    /** What the paper does, to choose what another object got, makes replicas differ when one of them starts again. */
    @Test
    void whatIsRememberedChangesNoDecision() {
        Optimiser old = new Optimiser(model, 0, 1000);
        Optimiser small = new Optimiser(model, 0, 1);
        for (SiteCounts counts : drifting(6, 400, 40)) {
            assertThat(old.choose(counts, A)).isEqualTo(small.choose(counts, A));
        }
        assertThat(old.hits()).isGreaterThan(small.hits());
    }

    @Test
    void decidingFromTheKeyCostsLittle() {
        Regret drifting = new Regret();
        drifting(6, 400, 40).forEach(drifting::add);
        Regret unlike = new Regret();
        drifting(99, 100_000, 1).forEach(unlike::add);

        assertThat(drifting.ofCost).as("%s", drifting).isLessThan(0.029);
        assertThat(unlike.ofCost).as("%s", unlike).isLessThan(0.04);
        // Where an object costs next to nothing, a share says little: what counts is what the average operation waits.
        assertThat(Math.max(drifting.ofDelay, unlike.ofDelay)).isLessThan(0.01);
    }

    /** A site that is alone with an object keeps it alone, however seldom it writes. */
    @Test
    void decidingFromTheKeyKeepsWhatIsLocalLocal() {
        for (int reads = 0; reads < 1000; reads++) {
            SiteCounts counts = new SiteCounts(3).add(1, reads, 1);

            assertThat(model.best(WorkloadKey.of(counts).counts(), 0)).isEqualTo(B);
        }
    }

    /** How far what is chosen from the key is from the best, at worst. */
    private final class Regret {
        /** As a share of the lowest cost. */
        private double ofCost;

        /** What the average operation waits longer, as a share of the longest delay. */
        private double ofDelay;

        private void add(SiteCounts counts) {
            long lowest = model.cost(model.best(counts, 0), counts);
            long chosen = model.cost(model.best(WorkloadKey.of(counts).counts(), 0), counts);
            long operations = counts.total(0) + counts.total(1) + counts.total(2);
            ofCost = Math.max(ofCost, (double) (chosen - lowest) / lowest);
            ofDelay = Math.max(ofDelay, (double) (chosen - lowest) / operations / 150);
        }

        @Override
        public String toString() {
            return String.format("%.2f %% of the cost, %.3f %% of the delay", 100 * ofCost, 100 * ofDelay);
        }
    }

    @Test
    void halvesAreEverything() {
        SiteCounts first = new SiteCounts(2).add(0, 7, 1).add(1, 4, 0);
        SiteCounts second = first.split();

        assertThat(first).isEqualTo(new SiteCounts(2).add(0, 4, 1).add(1, 2, 0));
        assertThat(second).isEqualTo(new SiteCounts(2).add(0, 3, 0).add(1, 2, 0));
        assertThat(second).hasToString("reads [3, 2], writes [0, 0]");
    }

    /** Objects whose use changes a little from one look to the next. */
    private static List<SiteCounts> drifting(int seed, int objects, int steps) {
        RandomGenerator random = random(seed);
        List<SiteCounts> all = new ArrayList<>();
        for (int object = 0; object < objects; object++) {
            int[] reads = random.ints(3, 1, 20_000).toArray();
            int[] writes = random.ints(3, 1, 6_000).toArray();
            for (int step = 0; step < steps; step++) {
                SiteCounts counts = new SiteCounts(3);
                for (int site = 0; site < 3; site++) {
                    reads[site] = Math.max(1, (int) (reads[site] * random.nextDouble(0.98, 1.02)));
                    writes[site] = Math.max(1, (int) (writes[site] * random.nextDouble(0.98, 1.02)));
                    counts.add(site, reads[site], writes[site]);
                }
                all.add(counts);
            }
        }
        return all;
    }

    private static int compare(int set, int other) {
        List<Integer> members = Equations.members(set);
        List<Integer> others = Equations.members(other);
        return members.size() != others.size()
                ? Integer.compare(members.size(), others.size())
                : members.toString().compareTo(others.toString());
    }

    static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }
}
