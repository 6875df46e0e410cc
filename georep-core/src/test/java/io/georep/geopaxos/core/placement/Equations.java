package io.georep.geopaxos.core.placement;

import java.util.List;
import java.util.stream.IntStream;

/** Equation (1) of the paper, written down as it stands there: the control of what is quicker. */
final class Equations {
    private Equations() {}

    static List<Integer> members(int set) {
        return IntStream.range(0, Integer.SIZE)
                .filter(site -> (set >> site & 1) != 0)
                .boxed()
                .toList();
    }

    static long cost(int set, SiteCounts counts, int[][] delays) {
        int sites = delays.length;
        int spread = 0;
        for (int k = 0; k < sites; k++) {
            for (int h = 0; h < sites; h++) {
                if ((set >> k & 1) != 0 && (set >> h & 1) != 0) {
                    spread = Math.max(spread, delays[k][h]);
                }
            }
        }
        long cost = 0;
        for (int g = 0; g < sites; g++) {
            int nearest = Integer.MAX_VALUE;
            for (int h = 0; h < sites; h++) {
                if ((set >> h & 1) != 0) {
                    nearest = Math.min(nearest, delays[g][h]);
                }
            }
            cost += (long) counts.writes(g) * (spread + nearest) + (long) counts.reads(g) * nearest;
        }
        return cost;
    }

    /** Looks at all sets. */
    static int best(SiteCounts counts, int[][] delays) {
        int best = 1;
        for (int set = 2; set < 1 << delays.length; set++) {
            long difference = cost(set, counts, delays) - cost(best, counts, delays);
            if (difference < 0 || (difference == 0 && CostModel.isBefore(set, best))) {
                best = set;
            }
        }
        return best;
    }
}
