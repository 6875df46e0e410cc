package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.core.OrderModel.Written;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * Why the order of the paper is not used: F1 to F5 name five of its claims that do not hold. Each test shows that the printed rule
 * breaks the claim, and that the rule in use, {@link CommitOrder#lamport}, does not.
 */
class CommitOrderTest {
    private static final int RUNS = 100;

    private static final Comparator<Written> BY_STAMP = CommitOrder::compareStamps;

    /** F1, smallest case: r0 makes a and a2, r1 makes b and b2, then they cross. */
    @Test
    void f1ThePrintedOrderLeavesPairsWithoutOrderAndBlocks() {
        Written a = Written.of(0, 1, 1, 2);
        Written b = Written.of(1, 1, 2, 1);
        CommitOrder.PaperOrder paper = CommitOrder.paper(2);

        assertThat(paper.next(List.of(a, b), CommitOrder.NONE)).isNull();
        assertThat(paper.incomparablePairs()).isEqualTo(2);
        assertThat(CommitOrder.lamport().next(List.of(a, b), CommitOrder.NONE)).isSameAs(a);
        assertThat(CommitOrder.sum(2).next(List.of(a, b), CommitOrder.NONE)).isSameAs(a);
    }

    /** F1 at random: the printed rule stops for ever in most runs, the others commit everything in their order. */
    @Test
    void f1EveryWriteIsCommittedUnderTheOthersOnly() {
        int blocked = 0;
        for (int seed = 0; seed < RUNS; seed++) {
            int members = 2 + seed % 4;
            OrderModel model = new OrderModel(seed, members, 12, seed % 2 == 1);
            CommitOrder.PaperOrder paper = CommitOrder.paper(members);
            if (model.commits(paper, true).size() < model.writes.size()) {
                blocked++;
                assertThat(paper.incomparablePairs()).isPositive();
            }
            for (IntFunction<CommitOrder> order : others()) {
                assertThat(model.commits(order.apply(members), true)).hasSameSizeAs(model.writes);
            }
        }
        assertThat(blocked).isGreaterThan(RUNS / 2);
    }

    private static List<IntFunction<CommitOrder>> others() {
        return List.of(members -> CommitOrder.lamport(), CommitOrder::sum);
    }

    /** F2: links keep the order, ways through other members do not. Report numbers repair it, the printed rule has none. */
    @Test
    void f2ReportsOvertakeEachOtherAndReportNumbersRepairThat() {
        int overtakings = 0;
        int lateUnderPaper = 0;
        int lateWithoutNumbers = 0;
        for (int seed = 0; seed < 10 * RUNS; seed++) {
            OrderModel routed = new OrderModel(seed, 4, 3 + seed % 12, true);
            overtakings += routed.overtakings();
            lateUnderPaper += latePairs(routed.commits(CommitOrder.paper(4), false));
            List<Written> asTheyCame = routed.commits(CommitOrder.lamport(), false);
            lateWithoutNumbers += asTheyCame.stream().sorted(BY_STAMP).toList().equals(asTheyCame) ? 0 : 1;
            assertThat(routed.commits(CommitOrder.lamport(), true)).isSortedAccordingTo(BY_STAMP);
            assertThat(new OrderModel(seed, 4, 12, false).overtakings()).isZero();
        }
        assertThat(overtakings).isPositive();
        assertThat(lateUnderPaper).isPositive();
        assertThat(lateWithoutNumbers).isPositive();
    }

    /** Pairs that were committed in the wrong order, as all counters together tell. */
    private static int latePairs(List<Written> committed) {
        int late = 0;
        for (int i = 0; i < committed.size(); i++) {
            for (int j = 0; j < i; j++) {
                late += before(committed.get(i), committed.get(j), 0, Integer.MAX_VALUE) ? 1 : 0;
            }
        }
        return late;
    }

    private static boolean before(Written a, Written b, int from, int to) {
        int members = Math.min(to, a.counters.length);
        boolean smaller = false;
        for (int member = from; member < members; member++) {
            if (a.counters[member] > b.counters[member]) {
                return false;
            }
            smaller |= a.counters[member] < b.counters[member];
        }
        return smaller || a.head < b.head;
    }

    /** F3: when the tail is gone, so are its counters, and what it decided by them is decided anew, the other way round. */
    @Test
    void f3ANewTailDecidesAsTheOldOneByStampsOnly() {
        Written a = Written.of(1, 1, 1, 1, 0);
        Written b = Written.of(0, 1, 1, 1, 1);
        assertThat(CommitOrder.paper(3).next(List.of(a, b), CommitOrder.NONE)).isSameAs(a);
        assertThat(CommitOrder.sum(3).next(List.of(a, b), CommitOrder.NONE)).isSameAs(a);
        Written aLeft = Written.of(1, 1, 1, 1);
        Written bLeft = Written.of(0, 1, 1, 1);
        assertThat(CommitOrder.paper(2).next(List.of(aLeft, bLeft), CommitOrder.NONE))
                .isSameAs(bLeft);
        assertThat(CommitOrder.sum(2).next(List.of(aLeft, bLeft), CommitOrder.NONE))
                .isSameAs(bLeft);

        CommitOrder lamport = CommitOrder.lamport();
        assertThat(lamport.next(List.of(a, b), CommitOrder.NONE)).isSameAs(b);
        assertThat(lamport.next(List.of(aLeft, bLeft), CommitOrder.NONE)).isSameAs(bLeft);
    }

    /** F4: "at most N - 1 writes go before one that is complete"; here eight do, with N = 2. */
    @Test
    void f4WritesThatWereMadeLaterDoNotGoFirstByStamps() {
        Written a = Written.of(0, 1, 1, 9);
        List<Written> known = new ArrayList<>(List.of(a));
        for (int i = 1; i <= 8; i++) {
            known.add(Written.of(1, i, 1, i));
        }

        assertThat(goneBefore(a, known, CommitOrder.paper(2))).isEqualTo(8);
        assertThat(goneBefore(a, known, CommitOrder.lamport())).isZero();
    }

    private static int goneBefore(Written write, List<Written> known, CommitOrder order) {
        List<Written> left = new ArrayList<>(known);
        int gone = 0;
        for (Written next = order.next(left, CommitOrder.NONE); next != write; gone++) {
            left.remove(next);
            next = order.next(left, CommitOrder.NONE);
        }
        return gone;
    }

    /**
     * F5: head r0 sends b to r1 only and crashes. As printed, the survivors' reports are enough for a, and b, which belongs before it, comes
     * later. With stamps a waits for all members of the view; r0 goes out of it by a flush, which brings b to the tail first.
     */
    @Test
    void f5AnOrphanIsCommittedBeforeWhatItPrecedes() {
        Written b = Written.of(0, 1, 0, 0);
        Written a = Written.of(1, 2, 1, 1);
        CommitOrder.PaperOrder paper = CommitOrder.paper(2);
        assertThat(paper.next(List.of(a), CommitOrder.NONE)).isSameAs(a);
        assertThat(paper.before(b, a)).as("b comes too late").isTrue();

        Written waiting = new Written(0, 1, 2, 3, 0);
        waiting.reported[1] = 1;
        waiting.reported[2] = 1;
        waiting.reports = 2;
        assertThat(CommitOrder.lamport().next(List.of(waiting), CommitOrder.NONE))
                .isNull();
        assertThat(CommitOrder.lamport().next(List.of(a, b), CommitOrder.NONE)).isSameAs(b);
    }

    /** What was everywhere before another write was made is committed before it. */
    @Test
    void realTimeIsKept() {
        for (int seed = 0; seed < RUNS; seed++) {
            OrderModel model = new OrderModel(seed, 2 + seed % 4, 15, seed % 2 == 1);
            for (IntFunction<CommitOrder> order : others()) {
                List<Written> committed = model.commits(order.apply(2 + seed % 4), true);
                for (int i = 0; i < committed.size(); i++) {
                    for (int j = 0; j < i; j++) {
                        assertThat(committed.get(i).everywhereAt).isGreaterThanOrEqualTo(committed.get(j).issuedAt);
                    }
                }
            }
        }
    }
}
