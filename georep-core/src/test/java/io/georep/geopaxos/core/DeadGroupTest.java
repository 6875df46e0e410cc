package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.georep.geopaxos.core.execution.ExecutedTable;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One of three groups has no majority any more. What neither names it nor meets what does goes on as before. */
class DeadGroupTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final int LIVING = 1;
    private static final int DEAD = 4;

    private final GeoCluster cluster = new GeoCluster(
            1, Rules::new, List.of(nodes("n1", "n2", "n3"), nodes("n2", "n3", "n1"), nodes("n4", "n5", "n6")));
    private final GeoMember contact = cluster.members.get(NodeId.of("n1"));
    private long calls;

    private static List<NodeId> nodes(String... names) {
        return Stream.of(names).map(NodeId::of).toList();
    }

    private long submit(Slice body) {
        long call = ++calls;
        contact.turn(() -> contact.node.submit(call, 1, call, 0, body, contact.now()));
        return call;
    }

    private long put(Integer... keys) {
        return submit(LeafService.use(calls + 1, List.of(), List.of(keys)));
    }

    /** By a client of its own: its operations do not wait for each other. */
    private long other(Integer... keys) {
        long call = ++calls;
        Slice body = LeafService.use(call, List.of(), List.of(keys));
        contact.turn(() -> contact.node.submit(call, call, 1, 0, body, contact.now()));
        return call;
    }

    private long move(long object, int to) {
        long call = ++calls;
        int from = contact.node.groupsOf(object);
        contact.turn(() -> contact.node.move(call, new long[] {object}, from, to, contact.now()));
        return call;
    }

    private void succeeds(long call) {
        long until = cluster.now + 2 * SECOND;
        while (!cluster.answers.containsKey(call) && cluster.now < until) {
            cluster.run(10 * GeoCluster.MILLI);
        }
        assertThat(cluster.answers).as("answers").containsKey(call);
    }

    /** The keys from 16 on are with the group that dies. */
    private void groupDies() {
        groupDiesNow();
        cluster.run(3 * SECOND);
    }

    private void groupDiesNow() {
        cluster.run(5 * SECOND);
        succeeds(put(0, 1, 2, 3, 16, 17, 18, 19));
        succeeds(submit(contact.service.split(100, 0)));
        succeeds(move(contact.service.leafOf(16), DEAD));
        assertThat(contact.node.groupsOf(contact.service.leafOf(0))).isEqualTo(LIVING);
        succeeds(put(0, 16));
        cluster.run(5 * SECOND);
        nodes("n4", "n5").forEach(name -> cluster.crash(cluster.members.get(name)));
    }

    @Test
    void operationsThatDoNotMeetThoseOfTheDeadGroupGoOn() {
        groupDies();
        long stuck = put(0, 16);
        long meets = put(0);
        cluster.run(SECOND);

        succeeds(put(1));
        succeeds(put(2, 3));
        long read = ++calls;
        contact.turn(() -> contact.node.read(read, LeafService.use(calls, List.of(1), List.of()), contact.now()));
        succeeds(read);
        assertThat(cluster.answers).doesNotContainKey(stuck).doesNotContainKey(meets);

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKeys(stuck, meets);
        cluster.run(5 * SECOND);
        cluster.compareStates();
    }

    private long read(int key) {
        long call = ++calls;
        contact.turn(() -> contact.node.read(call, LeafService.use(call, List.of(key), List.of()), contact.now()));
        return call;
    }

    /** It takes one round. Those that come later take two, so reads of their keys need not wait for the group. */
    @Test
    void aWriteThatIsUnderWayWhenAGroupDiesHoldsUpItsKeysAndIsExecutedWhenTheGroupIsBack() {
        groupDiesNow();
        long stuck = put(0, 16);
        cluster.run(2 * SECOND);
        assertThat(contact.node.executor().pending()).allMatch(each -> each.operation.isAtOnce());
        long later = other(1, 17);
        cluster.run(SECOND);
        assertThat(contact.node.executor().pending())
                .hasSize(2)
                .filteredOn(each -> !each.operation.isAtOnce())
                .hasSize(1);

        long held = read(0);
        succeeds(read(1));
        succeeds(put(2));
        assertThat(cluster.answers).doesNotContainKeys(stuck, later, held);

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKeys(stuck, later, held);
        assertThat(contact.node.underWay()).isZero();
        cluster.run(5 * SECOND);
        cluster.compareStates();
    }

    @Test
    void aMoveToTheDeadGroupHoldsUpItsObjectOnly() {
        groupDies();
        succeeds(submit(contact.service.split(101, 0)));
        long lower = contact.service.leafOf(0);
        long upper = contact.service.leafOf(2);
        assertThat(lower).isNotEqualTo(upper);
        long stuck = move(upper, DEAD);
        cluster.run(SECOND);
        long held = put(2);

        succeeds(put(0, 1));
        succeeds(submit(contact.service.split(102, 0)));
        succeeds(move(lower, 2));
        succeeds(put(0, 1));
        assertThat(cluster.answers).doesNotContainKey(stuck).doesNotContainKey(held);

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(15 * SECOND);
        assertThat(cluster.answers).containsKeys(stuck, held);
        cluster.run(5 * SECOND);
        cluster.compareStates();
    }

    /** Otherwise what waits for a group that does not come back would fill the memory of all nodes. */
    @Test
    void whatWouldWaitIsRefusedWhenTooMuchWaits() {
        groupDies();
        contact.node.rules().waitingMax = 20;
        other(0, 16);
        for (int i = 0; i < 30; i++) {
            other(0);
            cluster.run(300 * GeoCluster.MILLI);
        }
        assertThat(contact.node.executor().pending()).hasSize(20);
        assertThat(contact.refused).hasSize(11).containsOnlyKeys(range(calls - 10, calls));
        assertThat(contact.refused.values()).containsOnly(GeoEvent.Reason.WAITING);

        long dead = other(17);
        assertThat(contact.refused).as("it names the group").containsKey(dead);
        for (int i = 0; i < 30; i++) {
            succeeds(other(1));
        }
        contact.node.rules().waitingBytesMax = 1;
        long any = other(1);
        assertThat(contact.refused).as("twice as much as should").containsKey(any);

        contact.node.rules().waitingBytesMax = Long.MAX_VALUE;
        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(15 * SECOND);
        assertThat(contact.node.executor().pending()).isEmpty();
        succeeds(other(0));
        succeeds(other(17));
    }

    private int kept() {
        return (int) (contact.node.executor().table().keptBytes() / ExecutedTable.RUN_BYTES);
    }

    /** The client leaves out each second number. The other nodes take the leader of the group for alive, for as long as its lease. */
    @Test
    void whatClientsAcknowledgeIsForgottenWithoutHoldingUpAnything() {
        cluster.members.values().forEach(each -> each.node.rules().runsMax = 0);
        groupDiesNow();
        int results = contact.node.executor().table().size();
        for (int i = 0; i < 40; i++) {
            long call = calls += 2;
            Slice body = LeafService.use(call, List.of(), List.of(i % 2));
            contact.turn(() -> contact.node.submit(call, 2, call, call - 1, body, contact.now()));
            succeeds(call);
        }
        assertThat(contact.refused).isEmpty();
        assertThat(contact.node.executor().table().size()).as("results").isEqualTo(results + 1);
        assertThat(kept())
                .as("the dead group may still order what was left out")
                .isEqualTo(39);

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.members.values().forEach(each -> each.node.rules().runsMax = 0);
        cluster.run(10 * SECOND);
        assertThat(kept()).isZero();
        cluster.compareStates();
    }

    /** It meets everything, so all would wait with it. */
    @Test
    void whatMeetsEverythingIsRefusedWhileAGroupOfItIsDead() {
        groupDies();
        long scan = submit(LeafService.next(1000, 0));
        succeeds(scan); // the next key is with a living group
        long dead = submit(LeafService.next(1001, 15));
        assertThat(contact.refused).containsEntry(dead, GeoEvent.Reason.UNLED);
        succeeds(put(0, 1));

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        succeeds(submit(LeafService.next(1002, 15)));
    }

    /** Nobody knows when it comes back. */
    @Test
    void whatNeedsAGroupThatHasBeenDeadForLongTakesNoPlace() {
        groupDies();
        long early = put(17);
        cluster.run(4 * SECOND);
        long late = put(18);
        long both = put(0, 16);
        assertThat(contact.refused)
                .containsOnly(entry(late, GeoEvent.Reason.UNLED), entry(both, GeoEvent.Reason.UNLED));
        succeeds(put(0));

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKey(early);
        succeeds(put(18));
    }

    /** Its node takes later and later names meanwhile, so that groups need not remember all numbers after the one that is open. */
    @Test
    void whatWaitsForADeadGroupStandsOnceInTheOthers() {
        groupDies();
        contact.node.rules().pinnedMax = 10;
        long stuck = put(0, 16);
        cluster.run(SECOND);
        for (int i = 0; i < 60; i++) {
            succeeds(put(1));
        }
        assertThat(contact.node.executor().pending()).hasSize(1);

        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKey(stuck);
        assertThat(contact.node.underWay()).isZero();
        cluster.compareStates();
    }

    private long read(Slice body) {
        long call = ++calls;
        contact.turn(() -> contact.node.read(call, body, contact.now()));
        return call;
    }

    /** What comes later, and has nothing to do with the group, would have to be executed after the read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReadOfMoreThanOneKeyDoesNotSpreadAWriteThatIsUnderWay(boolean range) {
        groupDiesNow();
        long stuck = put(0, 16);
        cluster.run(3 * SECOND);
        assertThat(contact.node.executor().pending()).hasSize(1);

        long read = read(range ? LeafService.next(9, 0) : LeafService.use(9, List.of(0, 1), List.of()));
        cluster.run(3 * SECOND);

        assertThat(contact.refused).containsOnly(entry(read, GeoEvent.Reason.UNLED));
        assertThat(contact.node.executor().pending()).hasSize(1);
        succeeds(other(1));
        succeeds(read(1));
        succeeds(read(LeafService.use(9, List.of(1, 2), List.of())));
        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKey(stuck);
        succeeds(read(LeafService.next(10, 0)));
    }

    /** A split meets all keys of its leaf, and nobody asks for it: leaves grow. */
    @Test
    void aSplitOfALeafDoesNotSpreadAWriteThatIsUnderWay() {
        groupDiesNow();
        long stuck = put(0, 16);
        cluster.run(10 * SECOND);

        long split = submit(contact.service.split(102, 0));
        cluster.run(SECOND);

        assertThat(contact.refused).containsOnly(entry(split, GeoEvent.Reason.UNLED));
        succeeds(other(1));
        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKey(stuck);
        succeeds(submit(contact.service.split(103, 0)));
    }

    /** Each would hold a place on all nodes. */
    @Test
    void readsOfAKeyWhoseWriteIsUnderWayAreRefusedOnceTheGroupHasBeenDeadForLong() {
        groupDiesNow();
        long stuck = put(0, 16);
        cluster.run(10 * SECOND);
        for (int i = 0; i < 10; i++) {
            read(0);
        }
        cluster.run(3 * SECOND);

        assertThat(contact.refused).hasSize(10).containsValue(GeoEvent.Reason.UNLED);
        assertThat(contact.node.executor().pending()).hasSize(1);
        succeeds(read(1));
        nodes("n4", "n5").forEach(name -> cluster.boot(cluster.members.get(name)));
        cluster.run(10 * SECOND);
        assertThat(cluster.answers).containsKey(stuck);
        succeeds(read(0));
    }

    private static Long[] range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toArray(Long[]::new);
    }
}
