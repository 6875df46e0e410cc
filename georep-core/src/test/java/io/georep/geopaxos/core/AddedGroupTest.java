package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Groups are added while operations go on. */
class AddedGroupTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");
    private static final int ADDED = 0b100;

    private final GeoCluster cluster = new GeoCluster(7, Rules::new, List.of(List.of(N1, N2, N3), List.of(N2, N3, N1)));

    private GeoMember member(NodeId name) {
        return cluster.members.get(name);
    }

    private void begin() {
        cluster.run(5 * SECOND);
        cluster.clients.begin(4);
        cluster.run(3 * SECOND);
    }

    private void add() {
        cluster.add("n4");
        cluster.run(SECOND);
        assertThat(cluster.addGroup(member(N1), List.of(N4, N1, N2))).isNull();
        cluster.run(SECOND);
        cluster.settle();
    }

    private void moveAll() {
        GeoMember contact = member(N1);
        contact.service.contents().forEachRemaining(each -> {
            int from = contact.node.groupsOf(each.object());
            contact.turn(() -> contact.node.move(0, new long[] {each.object()}, from, ADDED, contact.now()));
        });
        cluster.run(3 * SECOND);
    }

    @Test
    void aGroupForANewSiteOrdersWhatIsGivenToIt() {
        begin();
        add();
        cluster.run(3 * SECOND);
        assertThat(cluster.answers).containsKey(GeoCluster.CHANGE);
        assertThat(cluster.runUntil(
                        () -> cluster.leader(2) != null && cluster.leader(2).id.equals(N4), 3 * SECOND))
                .as("led at home")
                .isTrue();
        moveAll();
        long before = member(N3).node.executor().groupState(2).slot;
        cluster.run(3 * SECOND);
        assertThat(member(N3).node.executor().groupState(2).slot).isGreaterThan(before);
        cluster.end();
    }

    /** The entry that adds it may be the last thing that a store lacks. */
    @Test
    void allNodesBootWithIt() {
        begin();
        add();
        moveAll();
        for (GeoMember each : cluster.members.values()) {
            cluster.crash(each);
        }
        cluster.members.values().forEach(cluster::boot);
        cluster.run(10 * SECOND);
        assertThat(member(N3).node.groups()).isEqualTo(3);
        cluster.end();
    }

    /** What it has promised and accepted counts, once it hears of the group again. */
    @Test
    void aBootBeforeTheEntryIsKnownKeepsItsVotes() {
        cluster.run(5 * SECOND);
        add();
        cluster.run(3 * SECOND);
        GeoMember one = member(N2);
        one.sync();
        one.crash();
        assertThat(one.disk.get(0).base).isZero();
        one.disk.get(0).decided = 0;
        long accepted = one.disk.get(2).proposals.lastKey();
        cluster.boot(one);
        assertThat(one.node.groups()).as("no entry is known to be decided").isEqualTo(2);

        ReplicatedLog others = member(N1).node.log(0);
        List<LogEntry> entries = LongStream.rangeClosed(1, others.decided())
                .mapToObj(others::entry)
                .toList();
        GeoMessage learnt = new GeoMessage.Log(0, new LogMessage.Learn(Ballot.NONE, 1, entries));
        one.turn(() -> one.node.onMessage(N1, learnt, one.now()));
        assertThat(one.node.groups()).isEqualTo(3);
        assertThat(one.node.log(2).toString()).contains(".." + accepted + ", seats of");
        cluster.clients.begin(4);
        cluster.run(3 * SECOND);
        cluster.end();
    }

    @Test
    void aGroupWaitsForAllItsVotersAndHoldsUpNothing() {
        begin();
        cluster.add("n4");
        cluster.crash(member(N3));
        cluster.run(3 * SECOND);
        assertThat(cluster.addGroup(member(N1), List.of(N4, N3, N2))).isNull();
        cluster.run(5 * SECOND);
        assertThat(cluster.leader(2)).isNull();
        assertThat(cluster.change(member(N1), N3, NodeId.of("n5"))).contains("has not begun");
        long before = cluster.clients.answers;
        cluster.run(5 * SECOND);
        assertThat(cluster.clients.answers).isGreaterThan(before);
        assertThat(member(N1).refused).isEmpty();

        cluster.boot(member(N3));
        cluster.settle();
        cluster.end();
    }

    @Test
    void whatAnOperatorCannotMeanIsRefused() {
        begin();
        GeoMember contact = member(N1);
        assertThat(cluster.addGroup(contact, List.of(N2, N1))).contains("n2 is the home of a group already");
        assertThat(cluster.addGroup(contact, List.of(N3, N1, N3))).contains("twice");
        List<NodeId> many = new ArrayList<>();
        for (int each = 1; each <= 8; each++) {
            many.add(NodeId.of("v" + each));
        }
        assertThat(cluster.addGroup(contact, many)).contains("1 to 7 voters");
        var layout = contact.node.membership().layout();
        for (int each = layout.groups().size(); each < GeoGroups.MAX; each++) {
            assertThat(Layouts.refusal(layout, List.of(NodeId.of("h" + each)))).isNull();
            layout = Layouts.grown(layout, List.of(NodeId.of("h" + each)));
        }
        assertThat(Layouts.refusal(layout, List.of(N4))).contains("12 groups");
        assertThat(contact.node.membership().layout().version()).isZero();
    }
}
