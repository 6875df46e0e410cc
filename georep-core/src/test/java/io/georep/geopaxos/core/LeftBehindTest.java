package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The first group has gone on without what a node has executed. It executes nothing more, so it forgets nothing. */
class LeftBehindTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");
    private static final Slice NOTHING = new GroupEntry.Acked(List.of()).encode();

    private final GeoCluster cluster = new GeoCluster(7, Rules::new, List.of(List.of(N1, N2), List.of(N3, N2, N4)));

    private GeoMember member(NodeId name) {
        return cluster.members.get(name);
    }

    /** This one comes back with its store when the group has gone on, the other one has lost it. */
    private GeoMember leaveBehind(NodeId name, NodeId lost) {
        cluster.run(5 * SECOND);
        cluster.clients.begin(4);
        cluster.run(5 * SECOND);
        for (NodeId other : List.of(N3, N4)) {
            cluster.cut(N1, other);
            cluster.cut(N2, other);
        }
        cluster.run(3 * SECOND);
        GeoMember left = member(name);
        left.sync();
        cluster.crash(left);
        cluster.heal();
        cluster.lose(List.of(member(lost)));
        cluster.clients.rest();
        cluster.run(10 * SECOND);
        GeoMember best = Stream.of(member(N3), member(N4))
                .max(Comparator.comparingLong(each -> each.node.log(0).decided()))
                .orElseThrow();
        assertThat(cluster.restore(best, 0, List.of(N1, N2), List.of(best.id, name)))
                .isNull();
        cluster.run(10 * SECOND);
        left.isLeft = true;
        cluster.boot(left);
        cluster.run(10 * SECOND);
        assertThat(cluster.leftBehind).containsKey(name);
        assertThat(GeoStatistics.of(left.node, 0, false, left.now()).leftBehind())
                .isTrue();
        assertThat(GeoStatistics.of(best.node, 0, false, best.now()).leftBehind())
                .isFalse();
        return left;
    }

    private void decideInTheSecondGroup(int entries) {
        decideInTheSecondGroup(entries, NOTHING);
    }

    private void decideInTheSecondGroup(int entries, Slice entry) {
        GeoMember leader = cluster.leader(1);
        long decided = leader.node.log(1).decided();
        for (int left = entries; left > 0; left--) {
            leader.turn(() -> leader.node.log(1).propose(entry));
            cluster.run(SECOND / 2);
        }
        assertThat(leader.node.log(1).decided()).isGreaterThanOrEqualTo(decided + entries);
    }

    @Test
    void whoHasNoVoteTakesNothing() {
        ReplicatedLog log = leaveBehind(N1, N2).node.log(1);
        long decided = log.decided();
        decideInTheSecondGroup(10);
        assertThat(log.decided()).isEqualTo(decided);
        assertThat(member(N1).notices).isEmpty();
    }

    @Test
    void whoHasAVoteTakesWhatThereIsRoomFor() {
        GeoMember left = leaveBehind(N2, N1);
        ReplicatedLog log = left.node.log(1);
        long decided = log.decided();
        decideInTheSecondGroup(5);
        assertThat(log.decided()).isEqualTo(decided + 5);
        assertThat(left.notices).isEmpty();
        long most = GeoStatistics.of(left.node, 0, false, left.now()).kept() + 1_000;
        left.service.keptBytesMax = most;
        decideInTheSecondGroup(30);
        assertThat(GeoStatistics.of(left.node, 0, false, left.now()).kept()).isBetween(most, most + 200);
        assertThat(log.decided()).isLessThan(decided + 35);
        assertThat(left.notices).containsExactly(new GeoEvent.LeftFull(1));
    }

    /** Nobody else has it, and its state has what is lost in the first group. */
    @Test
    void thatItCannotGiveWhatItHasForgottenIsTold() {
        GeoMember left = leaveBehind(N2, N1);
        cluster.cut(N3, N4);
        cluster.cut(N2, N4);
        decideInTheSecondGroup(10);
        assertThat(left.node.log(1).decided())
                .isGreaterThan(member(N4).node.log(1).decided());
        left.turn(() -> left.node.log(1).forget(left.node.log(1).decided()));
        left.sync();
        cluster.crash(member(N3));
        cluster.heal();
        cluster.run(10 * SECOND);
        assertThat(cluster.leader(1)).isNull();
        assertThat(left.notices).containsExactly(new GeoEvent.LeftUntold(1, N4));
    }

    /** It leads no more. So another one must, and needs all of that; each entry fills a message. */
    @Test
    void whatItKnowsItTeachesWithinAnElection() {
        GeoMember left = leaveBehind(N2, N1);
        cluster.cut(N3, N4);
        cluster.cut(N2, N4);
        List<NodeId> many = IntStream.range(0, 3_000)
                .mapToObj(number -> NodeId.of("node-that-is-gone-" + number))
                .toList();
        decideInTheSecondGroup(30, new GroupEntry.Gone(many).encode());
        long known = left.node.log(1).decided();
        assertThat(known).isGreaterThanOrEqualTo(member(N4).node.log(1).decided() + 30);
        cluster.crash(member(N3));
        cluster.heal();
        cluster.run(10 * SECOND);
        assertThat(cluster.leader(1)).isEqualTo(member(N4));
        assertThat(member(N4).node.log(1).decided()).isGreaterThanOrEqualTo(known);
    }
}
