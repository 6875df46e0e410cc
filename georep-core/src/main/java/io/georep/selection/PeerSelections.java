package io.georep.selection;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection;
import io.georep.spi.PeerSelection.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The policies that come with the library. All are pure: the same candidates, site and random numbers give the same
 * order. Where the order is not the point it is shuffled, so that the duty of the first failover owner is spread over
 * all peers instead of falling on one (gap G20).
 */
public final class PeerSelections {
    private PeerSelections() {}

    /** Any peers, each as likely as any other in every place. */
    public static PeerSelection random() {
        return (candidates, ownSite, count, random) -> shuffled(candidates, random);
    }

    /**
     * The default: peers of other sites first, of as many different sites as possible; peers of the own site only to fill
     * up. Within these rules the order is random. Peers without a site count as a site of their own.
     */
    public static PeerSelection siteAware() {
        return (candidates, ownSite, count, random) -> {
            Map<String, Integer> seen = new HashMap<>();
            List<Ranked> ranked = new ArrayList<>();
            for (Candidate candidate : shuffled(candidates, random)) {
                String site = candidate.site();
                boolean own = !site.isEmpty() && site.equals(ownSite);
                // The first peer met of a site is in round 0, the second in round 1 …; the own site comes last.
                int round = site.isEmpty() ? 0 : seen.merge(site, 1, Integer::sum) - 1;
                ranked.add(new Ranked(candidate, own ? Integer.MAX_VALUE : round));
            }
            ranked.sort(Comparator.comparingInt(Ranked::round));
            return ranked.stream().map(Ranked::candidate).toList();
        };
    }

    private record Ranked(Candidate candidate, int round) {}

    /**
     * The nearest peers that are far enough away: smallest round trip of at least {@code minRtt} first.
     *
     * @param minRtt what is nearer is taken to fail together with this node; zero for no limit
     * @param strict see {@link #withMinRtt}
     */
    public static PeerSelection nearest(Duration minRtt, boolean strict) {
        return withMinRtt(minRtt, strict, (candidates, ownSite, count, random) -> byRoundTrip(candidates));
    }

    /**
     * Adds a smallest round trip to another policy.
     *
     * @param minRtt what is nearer is taken to fail together with this node; zero for no limit
     * @param strict whether nearer peers are never taken, so that a put fails when too few are far enough; otherwise the
     *     farthest of them fill up (gap G21)
     * @param policy orders the peers that are far enough
     */
    public static PeerSelection withMinRtt(Duration minRtt, boolean strict, PeerSelection policy) {
        long limitNanos = minRtt.toNanos();
        return (candidates, ownSite, count, random) -> {
            List<Candidate> far = new ArrayList<>();
            List<Candidate> near = new ArrayList<>();
            for (Candidate candidate : candidates) {
                boolean unproven = candidate.rttMinNanos() == Long.MAX_VALUE && limitNanos > 0;
                (candidate.rttMinNanos() >= limitNanos && !unproven ? far : near).add(candidate);
            }
            List<Candidate> order = new ArrayList<>(policy.order(far, ownSite, count, random));
            if (!strict && order.size() < count) {
                // Unknown round trips come first here: they may be far.
                near.sort(Comparator.comparingLong(Candidate::rttMinNanos)
                        .reversed()
                        .thenComparing(Candidate::id));
                order.addAll(near);
            }
            return order;
        };
    }

    /** Always this order, for tests; peers not named come last, in the order of their names. */
    public static PeerSelection fixed(List<NodeId> order) {
        List<NodeId> names = List.copyOf(order);
        return (candidates, ownSite, count, random) -> candidates.stream()
                .sorted(Comparator.<Candidate>comparingInt(candidate -> place(names, candidate.id()))
                        .thenComparing(Candidate::id))
                .toList();
    }

    private static int place(List<NodeId> names, NodeId id) {
        int place = names.indexOf(id);
        return place < 0 ? Integer.MAX_VALUE : place;
    }

    private static List<Candidate> byRoundTrip(List<Candidate> candidates) {
        return candidates.stream()
                .sorted(Comparator.comparingLong(Candidate::rttMinNanos).thenComparing(Candidate::id))
                .toList();
    }

    private static List<Candidate> shuffled(List<Candidate> candidates, RandomGenerator random) {
        List<Candidate> order = new ArrayList<>(candidates);
        for (int i = order.size() - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            Candidate moved = order.get(i);
            order.set(i, order.get(other));
            order.set(other, moved);
        }
        return order;
    }
}
