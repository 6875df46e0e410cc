package io.georep.funnel.core.ways;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The way of a write through a view: the head sends to the first member of every chain, and each member to the next one of its chain.
 * Members are named by their rank. Every member but the head is in one chain. Two plans are equal only if they are one object.
 */
public final class Plan {
    private final List<int[]> chains;

    /** Creates it of ranks without the head, in the order in which the head sends. */
    Plan(List<int[]> chains) {
        this.chains = List.copyOf(chains);
    }

    /** Returns the chains. */
    public List<int[]> chains() {
        return chains;
    }

    /** Returns the plan in which the head sends to all others, in view order. */
    static Plan star(int head, int members) {
        List<int[]> chains = new ArrayList<>();
        for (int rank = 0; rank < members; rank++) {
            if (rank != head) {
                chains.add(new int[] {rank});
            }
        }
        return new Plan(chains);
    }

    /** Returns the plan in which everybody sends once: the head, the others in view order, the tail last. */
    static Plan chain(int head, int members) {
        int[] chain = new int[members - 1];
        for (int i = 0; i < chain.length; i++) {
            chain[i] = i < head ? i : i + 1;
        }
        return new Plan(chain.length == 0 ? List.of() : List.of(chain));
    }

    /**
     * Returns the plan with one chain for each site; that of the tail's site ends in the tail.
     *
     * @param sites by rank
     */
    static Plan sites(int head, List<String> sites) {
        List<int[]> chains = new ArrayList<>();
        for (String site : sites.stream().distinct().toList()) {
            int[] chain = new int[sites.size()];
            int length = 0;
            for (int rank = 0; rank < sites.size(); rank++) {
                if (rank != head && sites.get(rank).equals(site)) {
                    chain[length++] = rank;
                }
            }
            if (length > 0) {
                chains.add(Arrays.copyOf(chain, length));
            }
        }
        return new Plan(chains);
    }

    @Override
    public String toString() {
        return chains.stream().map(Arrays::toString).toList().toString();
    }
}
