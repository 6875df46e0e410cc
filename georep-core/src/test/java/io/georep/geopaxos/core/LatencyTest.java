package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.placement.CostModel;
import io.georep.geopaxos.core.placement.SiteCounts;
import io.georep.model.Slice;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long operations take where nothing takes time but the way between the sites of the paper: exactly what the formulas say. */
class LatencyTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;

    /** One way between A, B and C, in milliseconds. */
    private static final int[][] WAY = {{0, 75, 35}, {75, 0, 45}, {35, 45, 0}};

    /** From each leader to the nearest other voter, which makes a majority of three, and back. */
    private static final int[] QUORUM = {70, 90, 70};

    /** The workload of the paper's table I. */
    private static final int[] READS = {10, 100, 50};

    private static final int[] WRITES = {10, 1, 5};

    private final GeoCluster cluster =
            new GeoCluster(1, Rules::new, ThreeGroups.of(ThreeGroups.NODES).founders(), WAY, 0);
    private int groups = 1;
    private long calls;

    @BeforeEach
    void elect() {
        cluster.run(5 * SECOND);
    }

    private GeoMember at(int site) {
        return cluster.members.get(ThreeGroups.NODES.get(site));
    }

    private long write(int site) {
        GeoMember contact = at(site);
        long call = ++calls;
        Slice body = LeafService.use(call, List.of(), List.of(0));
        contact.turn(() -> contact.node.submit(call, 1, call, 0, body, contact.now()));
        return millis(call);
    }

    private long read(int site) {
        GeoMember contact = at(site);
        long call = ++calls;
        contact.turn(() -> contact.node.read(call, LeafService.use(call, List.of(0), List.of()), contact.now()));
        return millis(call);
    }

    /** Returns how long it takes until it is answered, and lets others end. */
    private long millis(long call) {
        long took = millisOf(call);
        cluster.run(SECOND);
        return took;
    }

    private long millisOf(long call) {
        long began = cluster.now;
        while (!cluster.answers.containsKey(call) && cluster.now < began + 10 * SECOND) {
            cluster.run(GeoCluster.MILLI);
        }
        assertThat(cluster.answers).containsKey(call);
        return (cluster.now - began) / GeoCluster.MILLI;
    }

    private void place(int set) {
        if (set == groups) {
            return;
        }
        GeoMember any = at(0);
        long call = ++calls;
        any.turn(() -> any.node.move(call, new long[] {LeafService.FIRST_LEAF}, groups, set, any.now()));
        millis(call);
        groups = set;
    }

    /** All three sites vote: another one than the leader's knows of a decision when it hears of the proposal. */
    private static int learns(int site, int leader) {
        return site == leader ? QUORUM[leader] : WAY[leader][site];
    }

    @Test
    void anOperationOfOneGroupTakesTheWayToItsLeaderAndBackAndAWriteWhereTheLeaderIsARoundTripToTheNearestMajority() {
        for (int group = 0; group < 3; group++) {
            place(1 << group);
            for (int site = 0; site < 3; site++) {
                int way = WAY[site][group];
                assertThat(write(site)).as("write at %s, group %s", site, group).isEqualTo(way + learns(site, group));
                assertThat(read(site)).as("read at %s, group %s", site, group).isEqualTo(2 * way);
            }
        }
    }

    @Test
    void anOperationOfSeveralGroupsTakesTheLongestOfTheirRounds() {
        use(0, 16);
        GeoMember any = at(0);
        long split = ++calls;
        any.turn(() -> any.node.submit(split, 1, split, 0, any.service.split(split, 0), any.now()));
        millis(split);
        for (int set = 3; set < 8; set++) {
            if (Integer.bitCount(set) > 1) {
                place(set);
                for (int site = 0; site < 3; site++) {
                    use(16); // in the other leaf, which is with the first group: so the clocks of the groups differ
                    assertThat(write(site))
                            .as("write at %s, groups %s", site, set)
                            .isEqualTo(oneRound(site, set));
                }
            }
        }
    }

    private void use(Integer... keys) {
        long call = ++calls;
        Slice body = LeafService.use(call, List.of(), List.of(keys));
        at(0).turn(() -> at(0).node.submit(call, 1, call, 0, body, at(0).now()));
        millis(call);
    }

    private static long oneRound(int contact, int set) {
        return members(set)
                .map(leader -> WAY[contact][leader] + learns(contact, leader))
                .max()
                .orElseThrow();
    }

    /** Whoever wrote it knows that both groups have ordered it before either leader does: first neither knows, then each knows of itself. */
    @Test
    void aReadAtALeaderWaitsForAWriteOfTwoGroupsThatOthersMayHaveExecuted() {
        place(3);
        long write = ++calls;
        Slice body = LeafService.use(write, List.of(), List.of(0));
        at(2).turn(() -> at(2).node.submit(write, 1, write, 0, body, at(2).now()));
        long began = cluster.now;
        runTo(began, 34);
        assertThat(isReadAtOnce(0)).as("it has not arrived").isTrue();
        runTo(began, oneRound(2, 3));
        assertThat(cluster.answers).as("known at its contact").containsKey(write);
        for (int site = 0; site < 2; site++) {
            assertThat(at(site).node.executor().groupState(site).known.contacts())
                    .doesNotContain(at(2).id);
            waitsAtOf(site);
        }
        runTo(began, WAY[2][0] + QUORUM[0] + 1);
        assertThat(at(0).node.executor().groupState(0).known.contacts()).contains(at(2).id);
        assertThat(at(0).node.executor().pending()).isNotEmpty();
        waitsAtOf(0);
        cluster.run(SECOND);
        assertThat(isReadAtOnce(0)).isTrue();
    }

    /** The write stands in one group. What its contact has asked for since its boot comes to the other one first. */
    @Test
    void aReadAtALeaderDoesNotWaitForWhatALaterBootOfItsContactHasMadeTooLate() {
        place(3);
        GeoMember contact = at(2);
        long early = ++calls;
        cluster.cut(contact.id, at(1).id);
        Slice body = LeafService.use(early, List.of(), List.of(0));
        contact.turn(() -> contact.node.submit(early, 0, 0, 0, body, contact.now()));
        contact.crash();
        cluster.mend(contact.id, at(1).id);
        cluster.boot(contact);
        while (at(0).node.executor().pending().isEmpty()) {
            cluster.run(GeoCluster.MILLI);
        }
        waitsAtOf(0);
        long read = calls;
        long later = ++calls;
        Slice other = LeafService.use(later, List.of(), List.of(1));
        contact.turn(() -> contact.node.submit(later, 0, 0, 0, other, contact.now()));
        cluster.run(SECOND / 2);
        assertThat(cluster.answers).as("before its patience ends").containsKey(read);
        assertThat(cluster.judge.dropped).as("the write").hasSize(1);
    }

    private void runTo(long began, long millis) {
        cluster.run(began + millis * GeoCluster.MILLI - cluster.now);
    }

    private void waitsAtOf(int site) {
        long call = ++calls;
        at(site).turn(() -> at(site).node.read(call, LeafService.use(call, List.of(0), List.of()), at(site).now()));
        assertThat(cluster.answers).as("a read at leader %s", site).doesNotContainKey(call);
    }

    @Test
    void anOperationOfSeveralGroupsThatIsNotAtOnceTakesTwoRoundsAndTheWaysBetweenTheirLeaders() {
        inTwoRounds();
        for (int set = 3; set < 8; set++) {
            if (Integer.bitCount(set) > 1) {
                place(set);
                for (int site = 0; site < 3; site++) {
                    assertThat(write(site))
                            .as("write at %s, groups %s", site, set)
                            .isEqualTo(twoRounds(site, set));
                    assertThat(read(site))
                            .as("read at %s, groups %s", site, set)
                            .isEqualTo(nearestRead(site, set));
                }
            }
        }
    }

    private void inTwoRounds() {
        cluster.members.values().forEach(each -> each.node.rules().oneRound = false);
    }

    /** Each leader proposes the SYNC when it knows that all SETs are decided. */
    private static long twoRounds(int contact, int set) {
        return members(set)
                .map(leader -> members(set)
                                .map(other -> WAY[contact][other] + learns(leader, other))
                                .max()
                                .orElseThrow()
                        + learns(contact, leader))
                .max()
                .orElseThrow();
    }

    private static long nearestRead(int contact, int set) {
        return members(set).map(leader -> 2 * WAY[contact][leader]).min().orElseThrow();
    }

    private static IntStream members(int set) {
        return IntStream.range(0, 3).filter(group -> (set >> group & 1) != 0);
    }

    /** Whoever wrote it may know before the leader that it is written. */
    @Test
    void aReadAtTheLeaderWaitsForAWriteFromAfarThatIsInFlightAndForNothingElse() {
        GeoMember leader = at(0);
        calls = 2;
        Slice key = LeafService.use(1, List.of(), List.of(0));
        Slice own = LeafService.use(2, List.of(), List.of(1));
        at(1).turn(() -> at(1).node.submit(1, 1, 1, 0, key, at(1).now()));
        leader.turn(() -> leader.node.submit(2, 2, 1, 0, own, leader.now()));
        cluster.run(60 * GeoCluster.MILLI);
        assertThat(isReadAtOnce(1)).as("nobody else waits for it").isTrue();
        assertThat(isReadAtOnce(0)).as("it has not arrived").isTrue();
        cluster.run(20 * GeoCluster.MILLI);
        assertThat(isReadAtOnce(3)).as("of another key").isTrue();
        assertThat(isReadAtOnce(0)).isFalse();

        long until = cluster.now;
        long waited = millisOf(calls);
        assertThat(until + waited * GeoCluster.MILLI)
                .as("proposed when it arrived, and decided a round later")
                .isEqualTo(5 * SECOND + (WAY[1][0] + QUORUM[0]) * GeoCluster.MILLI);
    }

    /** Returns whether a read of a key at the first site is answered at once. */
    private boolean isReadAtOnce(int key) {
        GeoMember leader = at(0);
        long call = ++calls;
        leader.turn(() -> leader.node.read(call, LeafService.use(call, List.of(key), List.of()), leader.now()));
        return cluster.answers.containsKey(call);
    }

    @Test
    void placementSavesWhatTheEquationOfThePaperSays() {
        inTwoRounds();
        SiteCounts counts = new SiteCounts(3);
        int[][] roundTrips = new int[3][3];
        int[][] rounds = new int[3][3];
        for (int site = 0; site < 3; site++) {
            counts.add(site, READS[site], WRITES[site]);
            rounds[site][site] = QUORUM[site];
            for (int other = 0; other < 3; other++) {
                roundTrips[site][other] = 2 * WAY[site][other];
            }
        }
        CostModel model = new CostModel(roundTrips, rounds);
        double[] measured = new double[8];
        double[] expected = new double[8];
        for (int set = 1; set < 8; set++) {
            place(set);
            expected[set] = model.cost(set, counts);
            for (int site = 0; site < 3; site++) {
                measured[set] += (double) READS[site] * read(site) + (double) WRITES[site] * write(site);
            }
            assertThat(measured[set]).as("groups %s", set).isCloseTo(expected[set], withinPercentage(10));
        }
        int best = model.best(counts, 0);
        assertThat(measured[1] / measured[best])
                .as("before and after")
                .isCloseTo(expected[1] / expected[best], withinPercentage(10))
                .isGreaterThan(3);
    }
}
