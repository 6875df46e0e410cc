package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogRecord;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.groups.GeoState;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All voters of a group lose their stores. */
class LostGroupTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");

    private final GeoCluster cluster = new GeoCluster(7, Rules::new, List.of(List.of(N1, N2), List.of(N3, N2, N4)));

    private GeoMember member(NodeId name) {
        return cluster.members.get(name);
    }

    private void begin() {
        cluster.run(5 * SECOND);
        cluster.clients.begin(4);
        cluster.run(5 * SECOND);
    }

    /** It would answer from empty maps, and what it acknowledges would be lost when the others are back. */
    @Test
    void votersThatLostTheirStoresDoNotBeginAnewBesideOthers() {
        begin();
        List<GeoMember> others = List.of(member(N3), member(N4));
        others.forEach(cluster::crash);
        cluster.lose(List.of(member(N1), member(N2)));
        cluster.run(20 * SECOND);
        assertThat(member(N1).node.log(0).decided()).isZero();

        others.forEach(cluster::boot);
        cluster.run(20 * SECOND);
        assertThat(cluster.leader(0)).isNull();
        assertThat(cluster.lost).containsOnlyKeys(0);
        assertThat(cluster.lost.get(0).voters()).containsExactly(N1, N2);
        assertThat(cluster.leader(1)).as("the other group goes on").isNotNull();
        assertThat(member(N2).node.log(1).decided())
                .isEqualTo(member(N3).node.log(1).decided());
    }

    /** The settings do not name the node that has the maps of before, so nobody asks it. */
    @Test
    void votersThatLostTheirStoresDoNotBeginAnewBesideNodesThatWereAdded() {
        begin();
        GeoMember added = cluster.add("m1");
        cluster.change(member(N1), null, added.id);
        cluster.run(10 * SECOND);
        assertThat(added.node.log(0).decided()).isPositive();

        cluster.lose(List.of(member(N1), member(N2), member(N3), member(N4)));
        cluster.run(20 * SECOND);
        assertThat(cluster.leader(0)).isNull();
        assertThat(cluster.leader(1)).isNull();
        assertThat(member(N1).node.log(0).decided()).isZero();
        assertThat(cluster.lost.get(0).voters()).containsExactly(N1, N2);
        assertThat(cluster.lost.get(0).elder()).isNotNull();
        assertThat(cluster.lost.get(1).voters()).containsExactlyInAnyOrder(N3, N2, N4);
    }

    /** What it has executed would be mixed with what is in the logs here. */
    @Test
    void aStateOfAnotherLogIsNoNews() {
        GeoMember member = member(N1);
        Seats seats = new Seats(1, 7, List.of(new Seat(N1, 1)));
        LogRecord stored = new LogRecord(Ballot.NONE, 1, seats, 1, List.of());
        GeoGroups groups = ThreeGroups.of(ThreeGroups.NODES);
        GroupLog log = new GroupLog(0, seats.home(), groups, stored, () -> 0, null, member, 0);
        assertThat(state(new Seats(1, 7, seats.list())).isNews(List.of(log))).isTrue();
        assertThat(state(new Seats(1, 8, seats.list())).isNews(List.of(log))).isFalse();
    }

    private GeoState state(Seats seats) {
        BinWriter base = new BinWriter();
        seats.write(base);
        GeoState state = new GeoState(1, member(N1).node.executor().load(), piece -> {});
        state.add(new StatePiece(new StatePiece.Name(StatePiece.BASE, 0, 100), base.toSlice()));
        return state;
    }
}
