package io.georep.funnel.core;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the tail commits the writes of one key. It gets what is known of uncommitted writes and says which of them may go
 * next, so that it can be tried without a protocol.
 */
interface CommitOrder {
    /** An uncommitted write of the key, as far as the tail knows it. */
    interface Candidate {
        /** Rank of its head. */
        int head();

        /** The head's clock when it was made; greater than that of any write the head had received before. */
        long clock();

        /** Whether the tail has the data, and has processed a report of it from every member. */
        boolean complete();

        /** How many writes the member had made itself when it received this one; -1 as long as that was not reported. */
        long counter(int member);
    }

    /** What the processed reports of a member say of those to come. */
    @FunctionalInterface
    interface Promises {
        /** Returns the greatest counter reported by this member so far: no later report has a smaller one. */
        long counter(int member);
    }

    /** Promises of an order that needs none. */
    Promises NONE = member -> 0;

    /**
     * Returns the write that may be committed next, null if none may now.
     *
     * @param known all uncommitted writes of the key that the tail has heard of, each once
     */
    <C extends Candidate> @Nullable C next(Collection<C> known, Promises promises);

    /**
     * The rule that is used: by the Lamport clock of the write, then by the rank of its head. It is a total order that travels with
     * the data, so every set of survivors finds the same one. Once all members have reported a write, every write that comes up later was
     * made by a head that had received it, and is greater.
     */
    static CommitOrder lamport() {
        return new CommitOrder() {
            @Override
            public <C extends Candidate> @Nullable C next(Collection<C> known, Promises promises) {
                C first = null;
                for (C each : known) {
                    if (first == null || compareStamps(each, first) < 0) {
                        first = each;
                    }
                }
                return first != null && first.complete() ? first : null;
            }
        };
    }

    /** Compares the stamps of two writes: clock, then head. */
    static int compareStamps(Candidate a, Candidate b) {
        int byClock = Long.compare(a.clock(), b.clock());
        return byClock != 0 ? byClock : Integer.compare(a.head(), b.head());
    }

    /**
     * By the sum of the counters, then by head, then by the clock. It extends the order of the paper to a total one and is
     * stable while all members live, but it needs the counters of every member: after a failure survivors may find another order.
     *
     * @param members of the view
     */
    static CommitOrder sum(int members) {
        return new SumOrder(members);
    }

    /** The rule of the paper, for reproducing its figures without failures; see {@link PaperOrder}. */
    static PaperOrder paper(int members) {
        return new PaperOrder(members);
    }

    /** See {@link #sum}. */
    final class SumOrder implements CommitOrder {
        private final int members;

        private SumOrder(int members) {
            this.members = members;
        }

        @Override
        public <C extends Candidate> @Nullable C next(Collection<C> known, Promises promises) {
            C first = null;
            for (C each : known) {
                if (first == null || compare(each, first, promises) < 0) {
                    first = each;
                }
            }
            return first != null && first.complete() ? first : null;
        }

        private int compare(Candidate a, Candidate b, Promises promises) {
            int bySum = Long.compare(leastSum(a, promises), leastSum(b, promises));
            if (bySum != 0) {
                return bySum;
            }
            int byHead = Integer.compare(a.head(), b.head());
            return byHead != 0 ? byHead : Long.compare(a.clock(), b.clock());
        }

        /** The sum, or what it will at least be. */
        private long leastSum(Candidate write, Promises promises) {
            long sum = 0;
            for (int member = 0; member < members; member++) {
                long counter = write.counter(member);
                sum += counter >= 0 ? counter : promises.counter(member);
            }
            return sum;
        }
    }

    /**
     * The rule as printed in the paper: <i>a</i> before <i>b</i> if no counter of <i>a</i> is greater, and some is smaller or the head is. A
     * write is committed when it is before all other outstanding ones. Two writes can be incomparable, and then neither is ever
     * committed: the detector counts these pairs.
     */
    final class PaperOrder implements CommitOrder {
        private final int members;
        private long incomparable;

        private PaperOrder(int members) {
            this.members = members;
        }

        /** Returns how many pairs of complete writes were met of which neither is before the other; a pair counts each time. */
        long incomparablePairs() {
            return incomparable;
        }

        @Override
        public <C extends Candidate> @Nullable C next(Collection<C> known, Promises promises) {
            for (C each : known) {
                if (each.complete() && isLeast(each, known)) {
                    return each;
                }
            }
            return null;
        }

        private boolean isLeast(Candidate write, Collection<? extends Candidate> known) {
            boolean least = true;
            for (Candidate other : known) {
                if (other != write && !before(write, other)) {
                    if (other.complete() && !before(other, write)) {
                        incomparable++;
                    }
                    least = false;
                }
            }
            return least;
        }

        /** Compares on the counters that are known of both, as the paper allows. */
        boolean before(Candidate a, Candidate b) {
            boolean smaller = false;
            for (int member = 0; member < members; member++) {
                long ofA = a.counter(member);
                long ofB = b.counter(member);
                if (ofA >= 0 && ofB >= 0) {
                    if (ofA > ofB) {
                        return false;
                    }
                    smaller |= ofA < ofB;
                }
            }
            return smaller || a.head() < b.head();
        }
    }
}
