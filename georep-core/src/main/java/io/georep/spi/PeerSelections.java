package io.georep.spi;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The selection policies that come with the library; see the factory methods of {@link PeerSelection}. */
final class PeerSelections {
    private PeerSelections() {}

    static List<PeerSelection.Candidate> shuffled(List<PeerSelection.Candidate> candidates, RandomGenerator random) {
        List<PeerSelection.Candidate> shuffled = new ArrayList<>(candidates);
        for (int i = shuffled.size() - 1; i > 0; i--) {
            Collections.swap(shuffled, i, random.nextInt(i + 1));
        }
        return shuffled;
    }

    /** Shuffled, then one peer of each other site, then the rest of the other sites, then the own site. */
    static List<PeerSelection.Candidate> siteAware(
            List<PeerSelection.Candidate> candidates, String ownSite, RandomGenerator random) {
        List<PeerSelection.Candidate> firstOfSite = new ArrayList<>();
        List<PeerSelection.Candidate> moreOfSite = new ArrayList<>();
        List<PeerSelection.Candidate> own = new ArrayList<>();
        Set<String> sites = new HashSet<>();
        for (PeerSelection.Candidate candidate : shuffled(candidates, random)) {
            if (candidate.site().equals(ownSite)) {
                own.add(candidate);
            } else if (sites.add(candidate.site())) {
                firstOfSite.add(candidate);
            } else {
                moreOfSite.add(candidate);
            }
        }
        firstOfSite.addAll(moreOfSite);
        firstOfSite.addAll(own);
        return firstOfSite;
    }

    static List<PeerSelection.Candidate> nearest(List<PeerSelection.Candidate> candidates) {
        List<PeerSelection.Candidate> sorted = new ArrayList<>(candidates);
        sorted.sort(Comparator.comparingLong(PeerSelection.Candidate::rttMinNanos)
                .thenComparing(PeerSelection.Candidate::id));
        return sorted;
    }

    static List<PeerSelection.Candidate> fixed(List<PeerSelection.Candidate> candidates, List<NodeId> order) {
        List<PeerSelection.Candidate> chosen = new ArrayList<>();
        for (NodeId id : order) {
            for (PeerSelection.Candidate candidate : candidates) {
                if (candidate.id().equals(id)) {
                    chosen.add(candidate);
                }
            }
        }
        return chosen;
    }

    /** Returns the candidates at least this far away; filled up with the farthest of the others unless strict (gap G21). */
    static List<PeerSelection.Candidate> farEnough(
            List<PeerSelection.Candidate> candidates, long rttMinNanos, boolean strict, int count) {
        List<PeerSelection.Candidate> far = new ArrayList<>();
        List<PeerSelection.Candidate> near = new ArrayList<>();
        for (PeerSelection.Candidate candidate : candidates) {
            (candidate.rttMinNanos() >= rttMinNanos ? far : near).add(candidate);
        }
        if (!strict && far.size() < count) {
            List<PeerSelection.Candidate> farthestFirst = nearest(near);
            Collections.reverse(farthestFirst);
            far.addAll(farthestFirst.subList(0, Math.min(count - far.size(), farthestFirst.size())));
            far.sort(Comparator.comparing(PeerSelection.Candidate::id));
        }
        return far;
    }
}
