package io.georep.spi;

import io.georep.model.NodeId;
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
}
