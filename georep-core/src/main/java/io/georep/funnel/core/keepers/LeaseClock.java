package io.georep.funnel.core.keepers;

import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When the leases of the nodes will have ended, as one replica of the master counts it on its own monotonic clock. It
 * is not replicated: a replica that begins, or becomes the leader, treats every lease as if it had just begun. Not
 * thread-safe.
 *
 * <p>A node counts its lease from the moment it asked, the master from the later moment at which it applies the request. Their clocks
 * may both be wrong in rate by the same share, one slow and one fast, so the master waits for longer than the lease.
 */
public class LeaseClock {
    private final double stretch;
    private final Map<NodeId, Long> ends = new HashMap<>();
    private final Map<NodeId, Long> heard = new HashMap<>();
    private final long pauseNanos;
    private long allEnd;
    private long appliedAt;

    /** Since when the replica has been told without a pause who asks. */
    private long listensSince;

    /**
     * Creates the clock of a replica of the master.
     *
     * @param rateError greatest deviation of a clock's rate, as a share, at least 0 and below 0.5
     * @param leaseNanos what members are granted; they ask three times in it
     * @param grantedNanos the longest lease that anybody may have been granted so far
     * @param now on the monotonic clock of the replica
     */
    public LeaseClock(double rateError, long leaseNanos, long grantedNanos, long now) {
        if (!(rateError >= 0 && rateError < 0.5)) {
            throw new ConfigurationException("clock-rate error is " + rateError + ", must be at least 0 and below 0.5");
        }
        stretch = (1 + rateError) / (1 - rateError);
        pauseNanos = leaseNanos / 2;
        allEnd = now + guard(grantedNanos);
        appliedAt = now;
        listensSince = now;
    }

    /** Returns how long the master waits for a lease. */
    long guard(long leaseNanos) {
        return (long) Math.ceil(leaseNanos * stretch) + 1;
    }

    /** The replica became the leader, or got a snapshot: nobody's lease ends before it would if it began now. */
    public void restart(long leaseNanos, long now) {
        allEnd = Math.max(allEnd, now + guard(leaseNanos));
        heard.clear();
        appliedAt = now;
        listensSince = now;
    }

    /** A request was applied now; it was granted this long a lease, 0 for none. */
    public void applied(Renewal renewal, long leaseNanos, long now) {
        if (now - appliedAt > pauseNanos) {
            listensSince = now; // nobody was heard for so long because this replica, or its log, stood still
        }
        appliedAt = now;
        heard.put(renewal.node(), now);
        if (leaseNanos > 0) {
            ends.merge(renewal.node(), now + guard(leaseNanos), Math::max);
        }
    }

    /** Returns when every lease this node ever got will have ended, whoever was the leader. */
    public long endOf(NodeId node) {
        return Math.max(allEnd, ends.getOrDefault(node, allEnd));
    }

    /** Returns whether the node has asked since all leases ended of which this replica cannot know. */
    boolean heardSinceAllEnded(NodeId node) {
        Long at = heard.get(node);
        return at != null && at >= allEnd;
    }

    /** Returns whether that time is over. */
    public boolean ended(NodeId node, long now) {
        return now >= endOf(node);
    }

    /** Returns whether the node asked within this time, as far as this replica knows since it began to lead. */
    public boolean heardWithin(NodeId node, long nanos, long now) {
        Long at = heard.get(node);
        return at != null && now - at <= nanos;
    }

    /**
     * Returns whether the replica has listened for this long without a pause, so that a node that it did not hear was
     * silent.
     */
    public boolean listenedFor(long nanos, long now) {
        return now - listensSince >= nanos;
    }

    /** Returns how many nodes it remembers. */
    public int size() {
        return heard.size();
    }

    /** Forgets nodes of which the ledger knows nothing any more. */
    public void keep(Set<NodeId> nodes) {
        ends.keySet().retainAll(nodes);
        heard.keySet().retainAll(nodes);
    }
}
