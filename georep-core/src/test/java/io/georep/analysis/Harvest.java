package io.georep.analysis;

import java.time.Duration;

/**
 * Harvest (paper, Section III-B): the probability that an acknowledged entry still exists when it is to be forwarded. An
 * entry is lost only when all nodes that hold it die while it waits. Deaths are taken as independent, permanent and equally
 * likely in every second, and nobody makes new copies meanwhile; so this is an estimate for planning, not a promise.
 */
final class Harvest {
    private Harvest() {}

    /**
     * Probability that one node dies while an entry waits: 1 - (1 - 1/m)^t for a dwell time of t seconds and a mean time
     * between failures of m seconds. Three years and one second give 1.06e-8, three hours 1.14e-4.
     *
     * @param mtbf mean time between failures of one node, longer than a second
     * @param dwell how long the entry waits, not negative
     */
    static double nodeLoss(Duration mtbf, Duration dwell) {
        return -Math.expm1(seconds(dwell) * Math.log1p(-1 / seconds(mtbf)));
    }

    /**
     * Probability that an acknowledged entry is lost, 1 - harvest: d^(f+1) with d = {@link #nodeLoss}. The number of nodes
     * in the cluster does not matter. After an adoption one copy less exists until it is made again, so use f - 1 for what
     * remains of such an entry's life.
     *
     * @param f failures survived, at least 0
     */
    static double loss(int f, Duration mtbf, Duration dwell) {
        return Math.pow(nodeLoss(mtbf, dwell), f + 1.0);
    }

    /** The same with a copy on each of n nodes: d^n. */
    static double fullReplicationLoss(int n, Duration mtbf, Duration dwell) {
        return Math.pow(nodeLoss(mtbf, dwell), n);
    }

    private static double seconds(Duration duration) {
        return duration.toSeconds() + duration.toNanosPart() / 1e9;
    }
}
