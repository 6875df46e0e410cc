package io.georep.consensus;

import static io.georep.consensus.ReplicatedLogTest.founded;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A group begins once, and not anew while somebody has its log. */
class FoundingTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");
    private static final NodeId N5 = NodeId.of("n5");
    private static final Seats SEATS = new Seats(1, 7, List.of(new Seat(N1, 1), new Seat(N2, 2), new Seat(N3, 3)));
    private static final Ballot OLD = new Ballot(5, N2);
    private static final LogEntry COMMAND = new LogEntry(LogEntry.COMMAND, Slice.utf8("command"));

    /** With a node that learns what they decide. */
    private static LogCluster foundedWithALearner() {
        LogCluster cluster = new LogCluster(1, 3);
        cluster.learners = List.of(N4);
        LogMember learner = cluster.add(N4);
        learner.crash();
        cluster.members.values().stream().filter(each -> each != learner).forEach(cluster::empty);
        cluster.run(5 * SECOND);
        assertThat(cluster.agreed).as("before the learner is there").isEmpty();
        cluster.boot(learner);
        cluster.run(10 * SECOND);
        cluster.propose("a");
        cluster.run(SECOND);
        assertThat(cluster.members.get(N4).log.decided()).isEqualTo(2);
        return cluster;
    }

    private static void lose(LogCluster cluster, List<NodeId> nodes) {
        nodes.forEach(each -> cluster.members.get(each).crash());
        nodes.forEach(each -> cluster.empty(cluster.members.get(each)));
    }

    /** They would acknowledge what is lost when the one comes back that has the log of before. */
    @Test
    void foundersWithEmptyStoresWaitForWhoeverMayHaveTheLog() {
        LogCluster cluster = foundedWithALearner();
        LogMember elder = cluster.members.get(N4);
        elder.crash();
        lose(cluster, List.of(N1, N2, N3));
        cluster.run(20 * SECOND);
        assertThat(cluster.members.get(N1).log.decided()).isZero();

        cluster.boot(elder);
        cluster.run(20 * SECOND);
        assertThat(cluster.leader()).isNull();
        assertThat(cluster.members.get(N1).elders).containsExactly(N4);
        assertThat(cluster.members.get(N1).lost).containsExactly(N1, N2, N3);
        assertThat(elder.lost).as("as who has no seat says too").containsExactly(N1, N2, N3);
    }

    /** It would acknowledge what is lost when that node and the seats of its log are back. */
    @Test
    void whoHearsThatThereIsALogFoundsNone() {
        LogCluster cluster = new LogCluster(1, 3);
        cluster.run(SECOND / 2);
        LogMember member = cluster.members.get(N2);
        member.turn(() -> member.log.hears(N4, new LogPlace(7, 1, 1, List.of()), member.now()));
        cluster.run(20 * SECOND);
        assertThat(cluster.agreed).isEmpty();
        assertThat(member.elders).containsExactly(N4);
        assertThat(member.lost).containsExactly(N1, N2, N3);
    }

    /** It has no seat, so nothing waits for its vote later: its word is the last thing that the founders need. */
    @Test
    void whoWouldHaveTheLogAndHearsOfAnotherOneHelpsNoFounder() {
        LogCluster cluster = new LogCluster(1, 3);
        cluster.learners = List.of(N4);
        cluster.add(N4);
        lose(cluster, List.of(N1, N2, N3));
        LogMember learner = cluster.members.get(N4);
        learner.turn(() -> learner.log.hears(N5, new LogPlace(7, 1, 1, List.of()), learner.now()));
        cluster.run(20 * SECOND);
        assertThat(cluster.agreed).isEmpty();
        assertThat(learner.elders).containsExactly(N5);
        assertThat(learner.lost).containsExactly(N1, N2, N3);
    }

    /** All founders have promised by then, and need its vote to begin. */
    @Test
    void whoHearsOfALogAfterItsPromiseAcceptsNoBeginningOfAnother() {
        LogCluster cluster = new LogCluster(1, 3);
        while (cluster.members.values().stream().noneMatch(each -> each.log.leads())) {
            cluster.run(LogCluster.MILLI);
        }
        LogMember member = cluster.members.values().stream()
                .filter(each -> !each.log.leads())
                .findFirst()
                .orElseThrow();
        member.turn(() -> member.log.hears(N4, new LogPlace(7, 1, 1, List.of()), member.now()));
        cluster.run(20 * SECOND);
        assertThat(cluster.agreed).isEmpty();
    }

    /** All have accepted its beginning by then, and the leader has yet to say that it is decided. */
    @Test
    void whoHearsOfTheLogThatItIsFoundingGoesOn() {
        for (int seed = 1; seed <= 20; seed++) {
            LogCluster cluster = new LogCluster(seed, 3);
            while (cluster.agreed.isEmpty()) {
                cluster.run(LogCluster.MILLI);
            }
            LogMember founder = cluster.members.values().stream()
                    .filter(each -> each.log.decided() > 0)
                    .findFirst()
                    .orElseThrow();
            long id = founder.log.seats().log();
            cluster.members
                    .values()
                    .forEach(each ->
                            each.turn(() -> each.log.hears(founder.id, new LogPlace(id, 1, 1, List.of()), each.now())));
            cluster.crash(founder);
            cluster.run(10 * SECOND);
            cluster.boot(founder);
            cluster.run(10 * SECOND);
            assertThat(cluster.leader()).as("seed %d", seed).isNotNull();
            assertThat(founder.log.seats().log()).isEqualTo(id);
        }
    }

    @Test
    void whenNobodyHasTheLogTheGroupBeginsAnew() {
        LogCluster cluster = foundedWithALearner();
        lose(cluster, List.of(N1, N2, N3, N4));
        cluster.agreed.clear();
        cluster.run(10 * SECOND);
        assertThat(cluster.leader().id).isEqualTo(N1);
        assertThat(cluster.agreed).hasSize(1);
    }

    /** Nobody had learned that it is decided, so it may be. */
    @Test
    void whatALearnerHasAcceptedCountsWhenAGroupIsFounded() {
        LogCluster cluster = foundedWithALearner();
        LogMember elder = cluster.members.get(N4);
        elder.crash();
        elder.disk.decided = 0;
        lose(cluster, List.of(N1, N2, N3));
        cluster.boot(elder);
        cluster.run(20 * SECOND);
        assertThat(cluster.leader()).isNull();
    }

    /** All that have the log say so, also those that have lost their votes with their stores. */
    @Test
    void whoLostTheMajorityIsTold() {
        LogCluster cluster = founded(1);
        lose(cluster, List.of(N2, N3));
        cluster.run(10 * SECOND);
        assertThat(cluster.leader()).isNull();
        assertThat(cluster.members.get(N1).lost).containsExactly(N2, N3);
    }

    /** As if they had been taught by another group's leader. */
    @Test
    void votersThatAllLostTheirStoresTellSo() {
        LogCluster cluster = founded(1);
        Seats seats = cluster.members.get(N1).log.seats();
        lose(cluster, List.of(N1, N2, N3));
        cluster.members.values().forEach(each -> each.turn(() -> each.log.install(1, seats)));
        cluster.run(10 * SECOND);
        assertThat(cluster.leader()).isNull();
        assertThat(cluster.members.values())
                .allSatisfy(each -> assertThat(each.lost).containsExactly(N1, N2, N3));
    }

    /** The seats that it knows are those of before. */
    @Test
    void whoWasAwayTakesNobodyForEmptied() {
        LogMember member = new LogCluster(1, 3).members.get(N1);
        Journal journal = new Journal(member, new LogRecord(OLD, 1, SEATS, 1, List.of()));
        Ballot ballot = OLD.next(N1);
        Candidacy candidacy = new Candidacy(ballot, journal, true, null, List.of(), null, member);
        for (long decided : List.of(2L, 1L)) {
            assertThat(member.lost).isEmpty();
            for (NodeId each : List.of(N2, N3)) {
                candidacy.onPromise(new LogMessage.Promise(ballot, true, new Seat(each, 9), 2, decided, List.of()));
            }
        }
        assertThat(member.lost).containsExactly(N2, N3);
    }

    /** Its slots would fill the holes of this one, and its votes would count. */
    @Test
    void membersOfAnotherLogTakeNothingAndCountForNothing() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        LogMember member = cluster.members.get(N2);
        Ballot led = leader.disk.promised;
        long decided = member.log.decided();
        long other = leader.log.seats().log() + 1;
        member.turn(() -> member.log.onMessage(
                N1,
                new LogMessage.Accept(led, decided + 1, List.of(COMMAND), decided + 1, 0, other, 1, 0),
                member.now()));
        assertThat(member.log.decided()).isEqualTo(decided);
        assertThat(member.others).containsExactly(N1);

        cluster.cut(N3, N1);
        cluster.cut(N2, N1);
        cluster.propose("a");
        leader.turn(() -> leader.log.onMessage(
                N2,
                new LogMessage.Accepted(led, new Seat(N2, 2), decided + 1, leader.now(), false, other),
                leader.now()));
        assertThat(leader.log.decided()).isEqualTo(decided);
        assertThat(leader.others).containsExactly(N2);
        assertThat(leader.log.leads()).isTrue();
    }
}
