package io.georep.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What follows from the failover formula, by trying every case. */
class FailoverTest {

    @Test
    void linksOfOthersNeverMatter() {
        int[] order = {0, 1};
        for (long[] arrives : Matrices.all(4)) {
            long[] ownersOnly = new long[4];
            ownersOnly[0] = arrives[0] & 0b0010;
            ownersOnly[1] = arrives[1] & 0b0001;
            for (boolean answersOnly : new boolean[] {false, true}) {
                long expected = Failover.adopters(order, Failover.hears(ownersOnly, answersOnly), 0, 0);

                assertThat(Failover.adopters(order, Failover.hears(arrives, answersOnly), 0, 0))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void someoneForwardsExactlyWhenAnOwnerIsUpAndNotReleased() {
        forEveryCase((hears, crashed, released, f) -> {
            boolean someoneCould = (Matrices.owners(f) & ~crashed & ~released) != 0;

            assertThat(Failover.forwarders(Matrices.order(f), hears, crashed, released) != 0)
                    .isEqualTo(someoneCould);
        });
    }

    @Test
    void withoutTheReleasedMarkSomeCopiesHaveNoForwarder() {
        int[] order = {0, 1, 2};
        long[] hears = Failover.hears(Matrices.full(3), false);
        int stuck = 0;
        for (long released = 0; released < 8; released++) {
            for (long crashed = 0; crashed < 8; crashed++) {
                boolean copies = (7 & ~crashed & ~released) != 0;
                long forwarders = Failover.forwarders(order, hears, crashed, 0) & ~released;
                stuck += copies && forwarders == 0 ? 1 : 0;
            }
        }

        assertThat(stuck).isEqualTo(9);
    }

    @Test
    void exactlyOneForwardsWhenEveryLaterOwnerHearsAnEarlierOne() {
        forEveryCase((hears, crashed, released, f) -> {
            long live = Matrices.owners(f) & ~crashed & ~released;
            if (live != 0) {
                boolean allHear = true;
                for (long rest = live & (live - 1); rest != 0; rest &= rest - 1) {
                    int later = Long.numberOfTrailingZeros(rest);
                    allHear &= (hears[later] & live & ((1L << later) - 1)) != 0;
                }

                long forwarders = Failover.forwarders(Matrices.order(f), hears, crashed, released);
                assertThat(Long.bitCount(forwarders) == 1).isEqualTo(allHear);
            }
        });
    }

    @Test
    void everyBlockOfACleanPartitionHasItsFirstOwnerAsForwarder() {
        for (int n = 2; n <= 5; n++) {
            for (long[] blocks : Matrices.partitions(n)) {
                for (int f = 1; f < n; f++) {
                    for (long crashed = 0; crashed < 1L << n; crashed++) {
                        long expected = 0;
                        for (long block : blocks) {
                            expected |= Long.lowestOneBit(block & Matrices.owners(f) & ~crashed);
                        }
                        long[] hears = Failover.hears(Matrices.connected(n, blocks), false);

                        assertThat(Failover.forwarders(Matrices.order(f), hears, crashed, 0))
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void blockedNodesFollowTheClosedForms() {
        int[] order = {0, 1, 2, 3};
        for (long blocked = 0; blocked < 16; blocked++) {
            long firstFree = Long.lowestOneBit(15 & ~blocked);
            long bothWays = blocked & 14 | ((blocked & 1) != 0 ? firstFree & 14 : 0);
            long leadingBlocked = Long.lowestOneBit(~blocked) - 1;
            long outgoing = (leadingBlocked << 1 | leadingBlocked) & 14;

            assertThat(adopters(order, Matrices.blocked(4, blocked, blocked), false))
                    .isEqualTo(bothWays);
            assertThat(adopters(order, Matrices.blocked(4, blocked, 0), false)).isEqualTo(outgoing);
            assertThat(adopters(order, Matrices.blocked(4, 0, blocked), false)).isEqualTo(blocked & 14);
        }
    }

    @Test
    void viewsOfOneEntryAreCountedByTheProduct() {
        for (int f = 1; f <= 4; f++) {
            Map<Long, Integer> counted = new TreeMap<>();
            int pairs = f * (f + 1) / 2;
            for (int bits = 0; bits < 1 << pairs; bits++) {
                counted.merge(Failover.adopters(Matrices.order(f), views(f, bits), 0, 0), 1, Integer::sum);
            }

            int cases = 1 << pairs;
            int views = f;
            assertThat(Failover.viewCases(f)).isEqualTo(cases);
            assertThat(counted).hasSize(1 << f);
            counted.forEach((adopters, count) ->
                    assertThat(Failover.viewCases(views, adopters)).isEqualTo(count.intValue()));
        }
        assertThat(List.of(0b0000, 0b0010, 0b0100, 0b0110, 0b1000, 0b1010, 0b1100, 0b1110))
                .extracting(adopters -> Failover.viewCases(3, adopters).intValue())
                .containsExactly(21, 21, 7, 7, 3, 3, 1, 1);
    }

    @Test
    void unsolicitedLifeSignsGiveASubsetOfTheAdoptersAndFullCoverage() {
        for (int n = 2; n <= 4; n++) {
            for (long[] arrives : Matrices.all(n)) {
                long[] any = Failover.hears(arrives, false);
                long[] answers = Failover.hears(arrives, true);
                for (int f = 1; f < n; f++) {
                    for (long crashed = 0; crashed < 1L << n; crashed++) {
                        long fewer = Failover.forwarders(Matrices.order(f), any, crashed, 0);
                        long more = Failover.forwarders(Matrices.order(f), answers, crashed, 0);

                        assertThat(fewer & ~more).isZero();
                        assertThat(fewer != 0).isEqualTo((Matrices.owners(f) & ~crashed) != 0);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        // blocked nodes; adopter the test expects; all that adopt when blocked both ways; when outgoing is blocked
        "0,  '',  '',    ''",
        "1,  2,   2,     2",
        "3,  3,   23,    23",
        "5,  2,   23,    2",
        "7,  4,   234,   234",
        "9,  2,   24,    2",
        "11, 3,   234,   23",
        "13, 2,   234,   2",
        "15, '',  234,   234"
    })
    void reproducesTheFailoverTest(long blocked, String expected, String bothWays, String outgoingOnly) {
        int[] order = {0, 1, 2, 3};
        long twoWay = adopters(order, Matrices.blocked(4, blocked, blocked), false);

        assertThat(names(twoWay & ~blocked)).isEqualTo(expected);
        assertThat(names(twoWay)).isEqualTo(bothWays);
        assertThat(names(adopters(order, Matrices.blocked(4, blocked, 0), false)))
                .isEqualTo(outgoingOnly);
        assertThat(names(adopters(order, Matrices.blocked(4, blocked, 0), true)))
                .as("with answers only, an outgoing block acts like a two-way block")
                .isEqualTo(bothWays);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "1, 1, 1", "3, 3, 2", "5, 3, 3", "7, 3, 3", "9, 2, 3", "11, 3, 3", "13, 3, 2", "15, 1, 1"})
    void smallestFOfTheFailoverTestFollowsFromTheCategories(int unreachable, int derived, int printed) {
        int[] smallestF = {1, 1, 3, 2}; // originator, first, middle, last
        int[] adopterOf = {-1, 1, -1, 2, -1, 1, -1, 3, -1, 1, -1, 2, -1, 1, -1, -1};
        int f = 1;
        for (int category = 0; category < 4; category++) {
            boolean needed = unreachable != 15 && (unreachable >> category & 1) != 0;
            f = needed || adopterOf[unreachable] == category ? Math.max(f, smallestF[category]) : f;
        }

        assertThat(f).isEqualTo(derived);
        assertThat(f != printed).isEqualTo(List.of(3, 9, 13).contains(unreachable));
    }

    @Test
    void orderDecidesAndNotTheNumberOfANode() {
        long[] nobodyHeard = new long[4];

        assertThat(Failover.adopters(new int[] {2, 0, 3}, nobodyHeard, 0b0001, 0))
                .isEqualTo(0b1000);
        assertThat(Failover.forwarders(new int[] {2, 0, 3}, Failover.hears(Matrices.full(4), false), 0b0100, 0))
                .isEqualTo(0b0001);
        assertThat(Failover.forwarders(new int[] {5 - 2}, nobodyHeard, 0, 0)).isEqualTo(0b1000);
    }

    private interface Case {
        void check(long[] hears, long crashed, long released, int f);
    }

    private static void forEveryCase(Case check) {
        for (int n = 2; n <= 4; n++) {
            for (long[] arrives : Matrices.all(n)) {
                long[] hears = Failover.hears(arrives, false);
                int f = n - 1;
                for (long crashed = 0; crashed < 1L << n; crashed++) {
                    for (long released = 0; released < 1L << n; released++) {
                        check.check(hears, crashed, released, f);
                    }
                }
            }
        }
    }

    /** Owner k hears owner m &lt; k if the bit of this pair is set. */
    private static long[] views(int f, int bits) {
        long[] hears = new long[f + 1];
        int bit = 0;
        for (int k = 1; k <= f; k++) {
            for (int m = 0; m < k; m++) {
                hears[k] |= (bits >> bit++ & 1) != 0 ? 1L << m : 0;
            }
        }
        return hears;
    }

    private static long adopters(int[] order, long[] arrives, boolean answersOnly) {
        return Failover.adopters(order, Failover.hears(arrives, answersOnly), 0, 0);
    }

    private static String names(long nodes) {
        List<String> names = new ArrayList<>();
        for (long rest = nodes; rest != 0; rest &= rest - 1) {
            names.add(String.valueOf(Long.numberOfTrailingZeros(rest) + 1));
        }
        return String.join("", names);
    }
}
