package io.georep.consensus;

import static io.georep.consensus.ReplicatedLogTest.founded;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Seats that are given to others while the log goes on. */
class SeatChangesTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");

    @Test
    void aLeaderThatLosesItsSeatHandsOver() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        leader.turn(() -> leader.log.reseat(List.of(N2, N3)));
        cluster.run(SECOND / 2);

        assertThat(cluster.leader().id).isEqualTo(N2);
    }

    /** Nobody else may know yet that the seats are theirs. */
    @Test
    void aLeaderThatLosesItsSeatLeadsUntilTheNewOnesKnow() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        leader.turn(() -> leader.log.reseat(List.of(N2, N3)));
        cluster.cut(N1, N2);
        cluster.cut(N1, N3);
        cluster.run(SECOND / 2);
        assertThat(leader.log.seats().names(N1)).isFalse();
        assertThat(leader.log.isChangingSeats()).isTrue();

        cluster.heal();
        cluster.run(SECOND / 2);
        assertThat(cluster.leader().id).isEqualTo(N2);
    }

    /** What it says after a restart need not be what it said before. */
    @Test
    void aStoreThatForgetsAtARestartGetsNoSeat() {
        LogCluster cluster = founded(1);
        LogMember added = cluster.add(NodeId.of("n4"));
        LogMember leader = cluster.leader();
        leader.turn(() -> leader.log.learners(List.of(added.id)));
        LogMember emptied = cluster.members.get(N3);
        for (LogMember each : List.of(added, emptied)) {
            each.crash();
            each.disk = new LogMember.Disk(-each.disk.number, Seats.founders(cluster.founders));
            cluster.boot(each);
        }
        cluster.run(5 * SECOND);
        assertThat(leader.log.reseat(List.of(N1, N2, added.id))).isZero();
        assertThat(emptied.log.decided()).isEqualTo(leader.log.decided());
        assertThat(leader.log.seats().has(new Seat(N3, emptied.disk.number))).isFalse();
    }

    @Test
    void aNewSeatIsServedThoughItIsNoLearnerAnyMore() {
        LogCluster cluster = founded(1);
        LogMember added = cluster.add(NodeId.of("n4"));
        LogMember leader = cluster.leader();
        leader.turn(() -> leader.log.learners(List.of(added.id)));
        cluster.run(SECOND);
        leader.turn(() -> {
            assertThat(leader.log.reseat(List.of(N2, added.id, added.id))).isPositive();
            leader.log.learners(List.of());
        });
        cluster.run(SECOND / 2);

        assertThat(added.log.decided()).isEqualTo(leader.log.decided());
        assertThat(added.log.seats().list()).hasSize(2);
    }

    /** Only the new seats decide what comes behind: the old ones may be gone for good. */
    @Test
    void nothingIsProposedBehindAChangeThatIsNotDecided() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        leader.turn(() -> {
            assertThat(leader.log.reseat(List.of(N1, N2))).isPositive();
            assertThat(leader.log.propose(Slice.utf8("command"))).isZero();
            assertThat(leader.log.reseat(List.of(N1, N3)))
                    .as("two changes at once")
                    .isZero();
        });
        cluster.run(SECOND / 2);

        leader.turn(() -> assertThat(leader.log.propose(Slice.utf8("command"))).isPositive());
    }

    /** The other one keeps its seat, though it has not caught up with this leader. */
    @Test
    void oneOfSeveralDeadMembersIsReplaced() {
        LogCluster cluster = new LogCluster(1, 5);
        cluster.run(5 * SECOND);
        NodeId n4 = NodeId.of("n4");
        NodeId n5 = NodeId.of("n5");
        cluster.members.get(n4).crash();
        cluster.members.get(n5).crash();
        LogMember first = cluster.leader();
        first.turn(() -> first.log.handOver(first.now())); // another leader has never heard of them
        cluster.run(5 * SECOND);
        LogMember added = cluster.add(NodeId.of("n6"));
        LogMember leader = cluster.leader();
        leader.turn(() -> leader.log.learners(List.of(added.id)));
        cluster.run(SECOND);
        leader.turn(() ->
                assertThat(leader.log.reseat(List.of(N1, N2, N3, added.id, n5))).isPositive());
        cluster.run(SECOND);

        assertThat(cluster.leader().log.seats().names(n4)).isFalse();
        assertThat(cluster.leader().log.seats().names(n5)).isTrue();
    }

    /** With both the leader and whoever follows it gone, the new ones would not know. */
    @Test
    void oneSeatStays() {
        LogCluster cluster = founded(1);
        LogMember added = cluster.add(NodeId.of("n4"));
        LogMember leader = cluster.leader();
        leader.turn(() -> leader.log.learners(List.of(added.id)));
        cluster.run(SECOND);
        leader.turn(() -> assertThat(leader.log.reseat(List.of(added.id))).isZero());
    }
}
