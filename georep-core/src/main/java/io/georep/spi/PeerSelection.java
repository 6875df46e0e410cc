package io.georep.spi;

import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Chooses which peers get the copies of a group of entries. It must be a pure function. The driver's thread calls it, so it
 * must be quick and must not block.
 */
@FunctionalInterface
public interface PeerSelection {
    /**
     * A peer that may take copies now.
     *
     * @param id name of the peer
     * @param site its site; empty if unknown
     * @param rttMinNanos smallest round trip seen, in nanoseconds; {@link Long#MAX_VALUE} if unknown
     */
    record Candidate(NodeId id, String site, long rttMinNanos) {}

    /**
     * Puts candidates in the order in which they should be owners.
     *
     * @param candidates the peers that can take copies, in the order of their names
     * @param ownSite the site of this node
     * @param count how many peers are needed; the first {@code count} of the result are used
     * @param random seeded randomness
     * @return acceptable candidates, best first, each at most once. If there are fewer than {@code count}, the send is refused
     */
    List<Candidate> order(List<Candidate> candidates, String ownSite, int count, RandomGenerator random);

    /** Returns the policy that takes any peers in random order, so that the duty of adopting first is spread. */
    static PeerSelection random() {
        return (candidates, ownSite, count, random) -> PeerSelections.shuffled(candidates, random);
    }

    /** Returns the policy that prefers the smallest round trip. Combine it with {@link #atLeast} to keep a distance. */
    static PeerSelection nearest() {
        return (candidates, ownSite, count, random) -> PeerSelections.nearest(candidates);
    }

    /**
     * Returns the default policy. It takes first one peer of each other site, then further peers of other sites, and peers of
     * the own site only if there are not enough others. Among equals it chooses at random.
     */
    static PeerSelection siteAware() {
        return (candidates, ownSite, count, random) -> PeerSelections.siteAware(candidates, ownSite, random);
    }

    /** Returns the policy that takes these peers in this order and no others. For tests and for published tables. */
    static PeerSelection fixed(List<NodeId> order) {
        List<NodeId> copy = List.copyOf(order);
        return (candidates, ownSite, count, random) -> PeerSelections.fixed(candidates, copy);
    }

    /**
     * Returns this policy, restricted to peers whose smallest round trip is at least this long.
     *
     * @param rtt the limit
     * @param strict true: takes no other peers, so that sends may be refused; false: fills up with the farthest of the others
     */
    default PeerSelection atLeast(Duration rtt, boolean strict) {
        long rttMinNanos = rtt.toNanos();
        return (candidates, ownSite, count, random) ->
                order(PeerSelections.farEnough(candidates, rttMinNanos, strict, count), ownSite, count, random);
    }
}
