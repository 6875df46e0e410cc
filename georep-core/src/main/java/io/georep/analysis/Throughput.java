package io.georep.analysis;

import java.time.Duration;

/**
 * How fast clients can be that wait for each entry before they send the next one (paper, Section V). Only the network's
 * delay is counted, so this is an upper bound that is met while processors, disks and links have room to spare.
 */
public final class Throughput {
    /** Round trips of one entry's life in the paper's test: one for the copies, one for the delete. */
    public static final int ROUND_TRIPS = 2;

    private Throughput() {}

    /**
     * Entries per second of the whole cluster: n · clients / (2 · RTT).
     *
     * @param n nodes, at least 1
     * @param clientsPerNode clients that each wait for one entry at a time, at least 0
     * @param rtt mean round trip between an origin and the other owners, longer than zero
     */
    public static double closedLoop(int n, int clientsPerNode, Duration rtt) {
        NodeSets.nodes(n);
        Check.that(clientsPerNode >= 0, "clientsPerNode is " + clientsPerNode + ", must not be negative");
        Check.that(
                !rtt.isNegative() && !rtt.isZero(),
                "rtt is " + rtt + ", must be longer than zero: within a machine the network does not limit throughput");
        return (double) n * clientsPerNode / (ROUND_TRIPS * (rtt.toSeconds() + rtt.toNanosPart() / 1e9));
    }
}
