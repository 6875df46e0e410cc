package io.georep.bench.cluster;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Sites that are far from each other. The first one has the least to go to the others: where a single leader is best. */
enum Sites {
    /** Virginia, California and Europe, as in the paper. */
    THREE(new int[][] {{0, 70, 90}, {70, 0, 150}, {90, 150, 0}}),

    /** New York, Amsterdam, San Francisco, Bangalore and Singapore. */
    FIVE(new int[][] {
        {0, 86, 75, 236, 240},
        {86, 0, 154, 164, 172},
        {75, 154, 0, 228, 182},
        {236, 164, 228, 0, 38},
        {240, 172, 182, 38, 0}
    });

    @SuppressWarnings("ImmutableEnumChecker") // nobody gets it
    private final int[][] roundTripMillis;

    Sites(int[][] roundTripMillis) {
        this.roundTripMillis = roundTripMillis;
    }

    int[][] roundTripMillis() {
        return roundTripMillis.clone();
    }

    int count() {
        return roundTripMillis.length;
    }

    List<String> names() {
        return IntStream.rangeClosed(1, count())
                .mapToObj(number -> "n" + number)
                .toList();
    }

    /**
     * Milliseconds that an operation takes on this network if nothing else takes any: to the leader and back, and for a write the
     * round of the leader to a majority. A read needs none: the leader has a lease. Nor does a write from another site where two votes are
     * a majority: its own vote and that of the leader are enough.
     */
    int millis(int site, int leader, boolean isRead) {
        boolean isKnownAtOnce = count() == 3 && site != leader;
        if (isRead || isKnownAtOnce) {
            return roundTripMillis[site][leader];
        }
        int[] sorted = roundTripMillis[leader].clone();
        Arrays.sort(sorted);
        return roundTripMillis[site][leader] + sorted[sorted.length / 2];
    }

    /** The names of the sites from one on, the nearest first: voters of a group that is at home there. */
    String[] nearestTo(int home) {
        return IntStream.range(0, count())
                .boxed()
                .sorted((one, other) -> Integer.compare(roundTripMillis[home][one], roundTripMillis[home][other]))
                .map(site -> names().get(site))
                .toArray(String[]::new);
    }
}
