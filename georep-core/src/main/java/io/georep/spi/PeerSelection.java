package io.georep.spi;

import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Chooses which peers get the copies of a group of entries. A pure function; called on the driver's thread, so it must
 * be quick and must not block.
 */
@FunctionalInterface
public interface PeerSelection {
    /**
     * A peer that may take copies now.
     *
     * @param id its name
     * @param site its site, empty when unknown
     * @param rttMinNanos smallest round trip seen, {@link Long#MAX_VALUE} when unknown
     */
    record Candidate(NodeId id, String site, long rttMinNanos) {}

    /**
     * Puts candidates in the order in which they should be owners.
     *
     * @param candidates selectable peers in the order of their names
     * @param ownSite the site of this node
     * @param count how many will be used: the first {@code count} of the answer
     * @param random seeded randomness
     * @return at least {@code count} of the candidates if the policy finds as many acceptable, without repetition, best
     *     first; with fewer the put fails
     */
    List<Candidate> order(List<Candidate> candidates, String ownSite, int count, RandomGenerator random);

    /** Any peers, in random order, so that the duty of adopting first is spread. */
    static PeerSelection random() {
        return (candidates, ownSite, count, random) -> PeerSelections.shuffled(candidates, random);
    }

    /** The peers with the smallest round trip first; combine with {@link #atLeast} to keep a distance. */
    static PeerSelection nearest() {
        return (candidates, ownSite, count, random) -> PeerSelections.nearest(candidates);
    }

    /**
     * Peers of different other sites first, then further ones of other sites, and the own site only when nobody else is
     * selectable; random among equals. The default.
     */
    static PeerSelection siteAware() {
        return (candidates, ownSite, count, random) -> PeerSelections.siteAware(candidates, ownSite, random);
    }

    /** These peers in this order and no others; for tests and for reproducing published tables. */
    static PeerSelection fixed(List<NodeId> order) {
        List<NodeId> copy = List.copyOf(order);
        return (candidates, ownSite, count, random) -> PeerSelections.fixed(candidates, copy);
    }

    /**
     * This policy among the peers whose smallest round trip is at least so long.
     *
     * @param rtt the limit [L_rtt]
     * @param strict true: no other peers, so that sends may be rejected; false: filled up with the farthest of the others
     */
    default PeerSelection atLeast(Duration rtt, boolean strict) {
        long rttMinNanos = rtt.toNanos();
        return (candidates, ownSite, count, random) ->
                order(PeerSelections.farEnough(candidates, rttMinNanos, strict, count), ownSite, count, random);
    }
}
