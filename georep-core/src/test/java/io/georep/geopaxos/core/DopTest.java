package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Rules;
import io.georep.model.Slice;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the paper's operation that places everything anew (DOP) costs those who use the objects meanwhile, beside a move of one of them
 * (M10): the three sites of the paper, each reads and writes a leaf of its own.
 */
class DopTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;

    /** One way between A, B and C, in milliseconds. */
    private static final int[][] WAY = {{0, 75, 35}, {75, 0, 45}, {35, 45, 0}};

    /** What each site uses: it is in the leaf that its group has. */
    private static final int[] KEYS = {0, 16, 24};

    private static final int CHANGES_AT = 300;
    private static final int LASTS = 1500;

    private record Call(int site, boolean isRead, long at) {}

    private final GeoCluster cluster =
            new GeoCluster(1, Rules::new, ThreeGroups.of(ThreeGroups.NODES).founders(), WAY, 0);
    private long calls;

    private GeoMember at(int site) {
        return cluster.members.get(ThreeGroups.NODES.get(site));
    }

    private long submit(int site, Slice body) {
        GeoMember contact = at(site);
        long call = ++calls;
        contact.turn(() -> contact.node.submit(call, 1, call, 0, body, contact.now()));
        return call;
    }

    private void split(int key) {
        submit(0, at(0).service.split(calls + 1, key));
        cluster.run(SECOND);
    }

    private void move(int key, int from, int to) {
        GeoMember any = at(0);
        long leaf = any.service.leafOf(key);
        any.turn(() -> any.node.move(++calls, new long[] {leaf}, from, to, any.now()));
    }

    @BeforeEach
    void givesEachSiteALeaf() {
        cluster.run(5 * SECOND);
        submit(
                0,
                LeafService.use(
                        1,
                        List.of(),
                        IntStream.range(0, LeafService.KEYS).boxed().toList()));
        cluster.run(SECOND);
        split(0);
        split(KEYS[1]);
        move(KEYS[1], 0b001, 0b010);
        move(KEYS[2], 0b001, 0b100);
        cluster.run(SECOND);
        for (int site = 0; site < KEYS.length; site++) {
            assertThat(at(2).node.groupsOf(at(2).service.leafOf(KEYS[site]))).isEqualTo(1 << site);
        }
    }

    /** Reads at each site in each millisecond, writes one after the other; returns the longest waits of reads and of writes by site. */
    private long[][] waits(Runnable change) {
        cluster.run(SECOND);
        long[][] longest = new long[2][KEYS.length];
        Map<Long, Call> open = new TreeMap<>();
        for (int milli = 0; milli < LASTS; milli++) {
            if (milli == CHANGES_AT) {
                change.run();
            }
            for (int site = 0; site < KEYS.length; site++) {
                int own = site;
                GeoMember contact = at(site);
                long read = ++calls;
                open.put(read, new Call(site, true, cluster.now));
                Slice body = LeafService.use(read, List.of(KEYS[site]), List.of());
                contact.turn(() -> contact.node.read(read, body, contact.now()));
                if (open.values().stream().noneMatch(each -> each.site == own && !each.isRead)) {
                    open.put(
                            submit(site, LeafService.use(calls + 1, List.of(), List.of(KEYS[site] + 1))),
                            new Call(site, false, cluster.now));
                }
            }
            collect(open, longest);
            cluster.run(GeoCluster.MILLI);
            collect(open, longest);
        }
        return longest;
    }

    private void collect(Map<Long, Call> open, long[][] longest) {
        for (Iterator<Map.Entry<Long, Call>> all = open.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Long, Call> each = all.next();
            Call call = each.getValue();
            if (cluster.answers.containsKey(each.getKey())) {
                long waited = (cluster.now - call.at) / GeoCluster.MILLI;
                long[] waits = longest[call.isRead ? 0 : 1];
                waits[call.site] = Math.max(waits[call.site], waited);
                all.remove();
            }
        }
    }

    @Test
    void aDopHoldsUpAllReadersAndAMoveThoseOfItsObject() {
        long[][] quiet = waits(() -> {});
        long[][] moved = waits(() -> move(KEYS[2], 0b100, 0b110));
        long[][] dop = waits(() -> submit(0, LeafService.dop(calls + 1)));

        System.out.printf(
                "longest waits in ms at A, B, C: reads %s, writes %s; a move of the leaf of C: %s, %s; a DOP: %s, %s%n",
                Arrays.toString(quiet[0]),
                Arrays.toString(quiet[1]),
                Arrays.toString(moved[0]),
                Arrays.toString(moved[1]),
                Arrays.toString(dop[0]),
                Arrays.toString(dop[1]));
        assertThat(quiet[0]).containsExactly(0, 0, 0);
        assertThat(moved[0][0]).as("of a group that has nothing to do with it").isZero();
        assertThat(moved[0][1])
                .as("of other leaves of the group that gets the leaf")
                .isZero();
        assertThat(moved[0][2]).as("of the leaf").isBetween(1L, 90L);
        assertThat(Arrays.stream(dop[0]).min().orElseThrow()).isPositive();
        for (int site = 0; site < 2; site++) {
            assertThat(moved[1][site]).isEqualTo(quiet[1][site]);
            assertThat(dop[1][site]).isGreaterThan(quiet[1][site]);
        }
    }

    /** Until the leader of a group has proposed something more that others may know to be decided before it does. */
    private void sharesOneMore(int group) {
        long shared = at(group).node.log(group).shared();
        runUntil(() -> at(group).node.log(group).shared() > shared);
    }

    /** To the millisecond. */
    private void runUntil(BooleanSupplier condition) {
        for (long end = cluster.now + SECOND; !condition.getAsBoolean(); cluster.run(GeoCluster.MILLI)) {
            assertThat(cluster.now).isLessThan(end);
        }
    }

    /**
     * B has executed a move of the leaf of C to itself, and then a write of it, before C hears that the move is decided. C still has its lease, and
     * returns nothing old.
     */
    @Test
    void aReadWaitsForAMoveOfItsLeafThatOthersHaveExecuted() {
        long leaf = at(0).service.leafOf(KEYS[2]);
        at(1).turn(() -> at(1).node.move(++calls, new long[] {leaf}, 0b100, 0b010, at(1).now()));
        sharesOneMore(2); // its SET
        sharesOneMore(2); // its SYNC
        cluster.cut(at(0).id, at(2).id); // from here on C hears nothing
        cluster.cut(at(1).id, at(2).id);
        runUntil(() -> at(1).node.groupsOf(leaf) == 0b010);
        assertThat(at(2).node.groupsOf(leaf)).as("as C knows").isEqualTo(0b100);
        long write = submit(1, LeafService.use(calls + 1, List.of(), List.of(KEYS[2])));
        runUntil(() -> cluster.answers.containsKey(write));

        assertThat(at(2).node.log(2).hasLease(at(2).now())).isTrue();
        long read = ++calls;
        Slice body = LeafService.use(read, List.of(KEYS[2]), List.of());
        at(2).turn(() -> at(2).node.read(read, body, at(2).now()));
        assertThat(cluster.answers).doesNotContainKey(read);
        cluster.heal();
        cluster.run(5 * SECOND);
        assertThat(cluster.answers).containsKey(read);
    }
}
