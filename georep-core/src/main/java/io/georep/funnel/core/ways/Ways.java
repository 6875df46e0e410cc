package io.georep.funnel.core.ways;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The plans that a head can choose from in a view, and how long each would take. The estimate adds up the time for which the
 * data leave the uplinks on the way, and the delays of the links.
 */
final class Ways {
    /** Size of the parts in which large values travel, each passed on at once. */
    static final int PART_BYTES = 64 << 10;

    /** Up to this load of the uplink, sending counts as not delayed. */
    private static final double FREE_LOAD = 0.7;

    /** What is left of an uplink at full load. */
    private static final double LEAST_REST = 0.01;

    /** Delay of a link. */
    @FunctionalInterface
    interface Delays {
        /** Returns the one-way delay between two members in nanoseconds, by rank. */
        long between(int from, int to);
    }

    final Plan star;
    final Plan chain;
    final Plan bySite;
    private final int head;
    private final int tail;
    private final double nanosPerByte;
    private final Delays delays;

    /**
     * Creates them.
     *
     * @param head rank of this node
     * @param sites by rank
     * @param bytesPerSecond capacity of an uplink
     */
    Ways(int head, List<String> sites, long bytesPerSecond, Delays delays) {
        this.head = head;
        this.tail = sites.size() - 1;
        this.nanosPerByte = 1e9 / bytesPerSecond;
        this.delays = delays;
        star = farFirst(Plan.star(head, sites.size()));
        chain = Plan.chain(head, sites.size());
        bySite = farFirst(Plan.sites(head, sites));
    }

    /**
     * Returns the delays as far as one member can know them. A link between two others is taken for as long as the longer one of
     * those to them; inside a site, and between the same sites, all links are alike.
     *
     * @param oneWayNanos from the head to each member
     */
    static Delays seenFrom(int head, List<String> sites, long[] oneWayNanos) {
        long near = Long.MAX_VALUE;
        for (int rank = 0; rank < oneWayNanos.length; rank++) {
            if (rank != head) {
                near = Math.min(near, oneWayNanos[rank]);
            }
        }
        long nearest = near;
        return (from, to) -> {
            if (from == to) {
                return 0;
            }
            if (from == head || to == head) {
                return oneWayNanos[from == head ? to : from];
            }
            if (sites.get(from).equals(sites.get(to))) {
                return nearest;
            }
            if (sites.get(from).equals(sites.get(head))) {
                return oneWayNanos[to];
            }
            return sites.get(to).equals(sites.get(head))
                    ? oneWayNanos[from]
                    : Math.max(oneWayNanos[from], oneWayNanos[to]);
        };
    }

    /**
     * Returns the plan by which the tail should know soonest that all members have a write.
     *
     * @param bytes key and value
     * @param load of the head's uplink, 0 to 1
     */
    Plan fastest(long bytes, double load) {
        Plan best = star;
        long time = estimateNanos(star, bytes, load);
        for (Plan other : List.of(bySite, chain)) {
            long otherTime = estimateNanos(other, bytes, load);
            if (otherTime < time) {
                best = other;
                time = otherTime;
            }
        }
        return best;
    }

    /**
     * Returns how long it takes until the tail knows that all members have a write. The copies leave the head one after the other, at
     * the rate that other traffic leaves to it once the uplink is more than 70 % loaded. Every further hop of a chain costs
     * its delay and the time for the last part.
     */
    long estimateNanos(Plan plan, long bytes, double load) {
        double atHead = load > FREE_LOAD ? nanosPerByte / Math.max(LEAST_REST, 1 - load) : nanosPerByte;
        long worst = 0;
        long sent = 0;
        for (int[] hops : plan.chains()) {
            sent += bytes;
            double arrival = sent * atHead;
            int from = head;
            for (int to : hops) {
                if (from != head) {
                    arrival += Math.min(bytes, PART_BYTES) * nanosPerByte;
                }
                arrival += delays.between(from, to);
                worst = Math.max(worst, (long) arrival + delays.between(to, tail));
                from = to;
            }
        }
        return worst;
    }

    /** Returns the plan in which what takes longest behind the uplink leaves first. */
    private Plan farFirst(Plan plan) {
        List<int[]> chains = new ArrayList<>(plan.chains());
        chains.sort(Comparator.comparingLong(hops -> -estimateNanos(new Plan(List.of(hops)), 0, 0)));
        return new Plan(chains);
    }
}
