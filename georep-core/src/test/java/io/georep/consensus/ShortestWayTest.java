package io.georep.consensus;

import static io.georep.consensus.ReplicatedLogTest.founded;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogMessage.Accept;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A member that votes knows what is decided as soon as the leader, where two votes are a majority, and counts no vote that is none. */
class ShortestWayTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final Seat FIRST = new Seat(N1, 1);
    private static final Seat SECOND_SEAT = new Seat(N2, 2);
    private static final Seats THREE = new Seats(1, 7, List.of(FIRST, SECOND_SEAT, new Seat(N3, 3)));
    private static final Ballot LED = new Ballot(5, N1);
    private static final LogEntry COMMAND = new LogEntry(LogEntry.COMMAND, Slice.utf8("command"));

    private final LogMember member = new LogCluster(1, 3).members.get(N2);

    /** A member that has promised to follow n1, and knows of these seats only. */
    private ReplicatedLog follower(Seat seat, Seats seats) {
        member.cluster.heard = message -> {};
        return new ReplicatedLog(
                seat,
                member.cluster.timing,
                new LogRecord(LED, seats.slot(), seats, seats.slot(), List.of()),
                () -> 0,
                member,
                0);
    }

    private static Accept accept(long first, List<LogEntry> entries, long seats, long held) {
        return new Accept(LED, first, entries, 1, first, 7, seats, held);
    }

    private static void says(ReplicatedLog log, Accept accept) {
        log.onMessage(N1, accept, 1);
    }

    @Test
    void aVoteCountsWhenItIsDurable() {
        ReplicatedLog log = follower(SECOND_SEAT, THREE);
        says(log, accept(2, List.of(COMMAND), 1, 2));
        assertThat(log.decided()).as("it may forget it at a crash").isEqualTo(1);

        member.sync();
        assertThat(log.decided()).isEqualTo(2);
    }

    @Test
    void aVoteOfTheLeaderCountsWhenItSaysSo() {
        ReplicatedLog log = follower(SECOND_SEAT, THREE);
        says(log, accept(2, List.of(COMMAND, COMMAND), 1, 0));
        member.sync();
        assertThat(log.decided()).isEqualTo(1);

        says(log, accept(4, List.of(), 1, 2));
        assertThat(log.decided()).isEqualTo(2);
    }

    /** Whoever has not heard of a change, or has heard more of it than the leader, leaves it to the leader to count. */
    @Test
    void votesCountByTheSeatsOfTheLeader() {
        for (long seats : new long[] {0, 2}) {
            ReplicatedLog log = follower(SECOND_SEAT, THREE);
            says(log, accept(2, List.of(COMMAND), seats, 2));
            member.sync();
            assertThat(log.decided()).isEqualTo(1);
        }
    }

    @Test
    void whoHasNoSeatHasNoVote() {
        for (Seat seat : List.of(new Seat(N2, 9), new Seat(NodeId.of("n4"), 4))) {
            ReplicatedLog log = follower(seat, THREE);
            says(log, accept(2, List.of(COMMAND), 1, 2));
            member.sync();
            assertThat(log.decided()).as("%s", seat).isEqualTo(1);
        }
    }

    @Test
    void twoVotesAreEnoughWhereTheyAreAMajority() {
        List<Seat> more = new ArrayList<>(THREE.list());
        assertThat(decidedBy(more.subList(0, 2))).isEqualTo(2);
        more.add(new Seat(NodeId.of("n4"), 4));
        assertThat(decidedBy(more)).as("three of four").isEqualTo(1);
        more.add(new Seat(NodeId.of("n5"), 5));
        assertThat(decidedBy(more)).as("three of five").isEqualTo(1);
    }

    private long decidedBy(List<Seat> seats) {
        ReplicatedLog log = follower(SECOND_SEAT, new Seats(1, 7, seats));
        says(log, accept(2, List.of(COMMAND), 1, 2));
        member.sync();
        return log.decided();
    }

    /** It is durable, but for something else. */
    @Test
    void aVoteForAnEarlierLeaderDoesNotCount() {
        ReplicatedLog log = follower(SECOND_SEAT, THREE);
        says(log, accept(2, List.of(COMMAND), 1, 0));
        member.sync();
        LogEntry other = new LogEntry(LogEntry.COMMAND, Slice.utf8("other"));
        log.onMessage(N3, new Accept(new Ballot(6, N3), 2, List.of(other), 1, 3, 7, 1, 2), 1);
        assertThat(log.decided()).isEqualTo(1);

        member.sync();
        assertThat(log.decided()).isEqualTo(2);
        assertThat(log.entry(2)).isEqualTo(other);
    }

    /** What is behind it is for the new seats. */
    @Test
    void aChangeOfTheSeatsIsLeftToTheLeader() {
        ReplicatedLog log = follower(SECOND_SEAT, THREE);
        says(log, accept(2, List.of(COMMAND, LogEntry.seats(THREE.list()), COMMAND), 1, 4));
        member.sync();

        assertThat(log.decided()).isEqualTo(2);
        assertThat(log.seats()).isEqualTo(THREE);
    }

    /** The leader counts its own vote when it is durable, and what is not shared stays with it. */
    @Test
    void aLeaderSaysThatItHasVotedWhenThatIsDurable() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        LogMember other = cluster.members.get(N2);
        List<NodeId> followers = List.of(N2, N3);
        followers.forEach(each -> cluster.cut(each, N1));
        cluster.syncNanos = SECOND / 4;
        leader.turn(() -> assertThat(leader.log.share(leader.log.propose(Slice.utf8("shared"))))
                .isTrue());
        leader.turn(() -> leader.log.propose(Slice.utf8("not shared")));
        cluster.run(SECOND / 5);
        assertThat(leader.disk.proposals).doesNotContainKey(2L);
        other.sync();
        assertThat(other.log.decided()).isEqualTo(1);

        cluster.run(SECOND / 5);
        assertThat(other.log.decided()).isEqualTo(2);
        assertThat(leader.log.decided()).as("hears nothing").isEqualTo(1);
        assertThat(leader.log.shared()).isEqualTo(2);
    }

    /** Two votes are durable, and a majority that elects another leader has one of them. */
    @Test
    void anotherLeaderFindsWhatOneMemberKnewAlone() {
        for (int seed = 1; seed <= 10; seed++) {
            LogCluster cluster = founded(seed);
            cluster.cut(N2, N1);
            cluster.cut(N1, N3);
            cluster.propose("a");
            cluster.run(SECOND / 2);
            LogEntry known = cluster.agreed.get(2L);
            assertThat(cluster.members.get(N1).log.decided())
                    .as("seed %d", seed)
                    .isEqualTo(1);
            assertThat(cluster.members.get(N2).log.decided())
                    .as("seed %d", seed)
                    .isEqualTo(2);

            cluster.crash(cluster.members.get(seed % 2 == 0 ? N1 : N2));
            cluster.heal();
            cluster.run(5 * SECOND);
            LogMember third = cluster.members.get(N3);
            assertThat(third.executed.get(2L)).as("seed %d", seed).isEqualTo(known);
        }
    }
}
