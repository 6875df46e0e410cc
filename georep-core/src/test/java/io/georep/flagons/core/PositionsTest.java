package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * What groups come of positions that are drawn at random, and of those in the middle of the largest gap of the group that a node would
 * join: nodes are replaced one by one, three times as many as there are. Positions are compared with a sign here.
 */
class PositionsTest {
    private static final FleetSettings SETTINGS = FleetSettings.hardened(1_000);
    private static final int RUNS = 12;

    private final SplittableRandom random = new SplittableRandom(1);
    private final TreeSet<Long> positions = new TreeSet<>();

    /** The same, in any order. */
    private final List<Long> drawn = new ArrayList<>();

    private final List<Range> groups = new ArrayList<>();
    private int count;
    private int large;
    private int smallest = Integer.MAX_VALUE;
    private double largest;
    private double widest;

    private NavigableSet<Long> in(Range range) {
        return range.depth() == 0 ? positions : positions.subSet(range.start(), true, range.last(), true);
    }

    private void divide(Range range) {
        int all = in(range).size();
        int lower = in(range.lower()).size();
        if (all > SETTINGS.groupMax() && lower >= SETTINGS.groupMin() && all - lower >= SETTINGS.groupMin()) {
            divide(range.lower());
            divide(range.upper());
        } else {
            groups.add(range);
        }
    }

    private void join(boolean fillsGaps) {
        long next = random.nextLong();
        next = fillsGaps ? middle(next) : next;
        positions.add(next);
        drawn.add(next);
    }

    private long middle(long near) {
        int depth = 0;
        while (in(Range.around(near, depth)).size() >= SETTINGS.groupMax()) {
            depth++;
        }
        Range range = Range.around(near, depth);
        Long below = range.depth() == 0 ? null : positions.lower(range.start());
        Long above = range.depth() == 0 ? null : positions.higher(range.last());
        long before = below == null ? Long.MIN_VALUE : below;
        long middle = near;
        long gap = 0;
        List<Long> ends = new ArrayList<>(in(range));
        ends.add(above == null ? Long.MAX_VALUE : above);
        for (long end : ends) {
            if (Long.compareUnsigned(end - before, gap) > 0) {
                gap = end - before;
                middle = before + (gap >>> 1);
            }
            before = end;
        }
        return middle;
    }

    private void run(int nodes, boolean fillsGaps) {
        for (int run = 0; run < RUNS; run++) {
            positions.clear();
            drawn.clear();
            groups.clear();
            for (int i = 0; i < 4 * nodes; i++) {
                if (positions.size() == nodes) {
                    positions.remove(drawn.remove(random.nextInt(nodes)));
                }
                join(fillsGaps);
            }
            divide(Range.ALL);
            count += groups.size();
            groups.forEach(each -> {
                int size = in(each).size();
                smallest = Math.min(smallest, size);
                largest = Math.max(largest, size);
                large += size > SETTINGS.groupMax() ? 1 : 0;
                widest = Math.max(widest, groups.size() * Math.pow(2, -each.depth()));
            });
        }
    }

    private double largeShare() {
        return large / (double) count;
    }

    @Test
    void positionsThatAreDrawnAtRandomMakeNoSmallGroupsAndFewLargeOnes() {
        run(1_000, false);

        assertThat(smallest).isGreaterThanOrEqualTo(SETTINGS.groupMin());
        assertThat(largeShare()).isBetween(.05, .2);
        assertThat(largest).isLessThan(32);
    }

    /** It would make a group or two fewer too large, and the rest is as before. */
    @Test
    void positionsInGapsMakeGroupsNeitherSaferNorMoreEven() {
        run(1_000, true);

        assertThat(smallest).isEqualTo(SETTINGS.groupMin());
        assertThat(largeShare()).isLessThan(.08);
        assertThat(widest).isGreaterThan(1.7);
    }

    /** Prints the figures of the page. */
    public static void main(String[] args) {
        for (int nodes : new int[] {60, 300, 1_000}) {
            for (boolean fillsGaps : new boolean[] {false, true}) {
                PositionsTest test = new PositionsTest();
                test.run(nodes, fillsGaps);
                System.out.printf(
                        "%d nodes, %s: %.0f groups of %d to %.0f, %.1f %% above %d, widest %.1f of the mean%n",
                        nodes,
                        fillsGaps ? "gaps" : "random",
                        test.count / (double) RUNS,
                        test.smallest,
                        test.largest,
                        100 * test.largeShare(),
                        SETTINGS.groupMax(),
                        test.widest);
            }
        }
    }
}
