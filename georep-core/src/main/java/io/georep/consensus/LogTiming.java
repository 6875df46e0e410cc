package io.georep.consensus;

/**
 * The times of a group, in nanoseconds. All members have the same.
 *
 * @param heartbeat how often a leader speaks when it has nothing to say
 * @param lease for how long an acceptor that heard its leader votes for no other node
 * @param drift how much longer a lease may take on one member's clock than on another's
 * @param homecoming how long the home of the lead must have kept up before it gets the lead back
 */
public record LogTiming(long heartbeat, long lease, long drift, long homecoming) {
    /** Checks that the times are in order. */
    public LogTiming {
        if (heartbeat <= 0 || lease <= 2 * heartbeat || drift < 0 || drift >= lease || homecoming < 0) {
            throw new IllegalArgumentException("a lease of " + lease + " ns must be longer than two heartbeats of "
                    + heartbeat + " ns and than the drift of " + drift + " ns");
        }
    }
}
