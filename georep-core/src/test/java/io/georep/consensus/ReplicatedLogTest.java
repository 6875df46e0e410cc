package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReplicatedLogTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final long FIRST = Long.getLong("first", 1);
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final Seats SEATS = new Seats(1, 7, List.of(new Seat(N1, 1), new Seat(N2, 2), new Seat(N3, 3)));
    private static final Ballot OLDER = new Ballot(4, N2);
    private static final Ballot OLD = new Ballot(5, N2);
    private static final LogEntry COMMAND = new LogEntry(LogEntry.COMMAND, Slice.utf8("command"));
    private static final int RUNS = Integer.getInteger("runs", 1600);

    @Test
    void aGroupElectsItsHomeAndDecides() {
        LogCluster cluster = new LogCluster(1, 3);
        cluster.run(10 * SECOND);
        cluster.propose("a");
        cluster.run(SECOND);

        assertThat(cluster.leader().id).isEqualTo(NodeId.of("n1"));
        assertThat(cluster.members.values())
                .allSatisfy(member -> assertThat(member.log.decided()).isEqualTo(2));
    }

    /** The founders are named in an order, and the first one is the home, whatever its name. */
    @Test
    void theFirstFounderIsTheHome() {
        LogCluster cluster = new LogCluster(1, 3);
        Collections.reverse(cluster.founders);
        cluster.members.values().forEach(cluster::empty);
        cluster.run(10 * SECOND);

        assertThat(cluster.leader().id).isEqualTo(N3);
        assertThat(cluster.leader().log.seats().home().node()).isEqualTo(N3);
    }

    /** It would tell others that a slot is decided in which they have accepted something else from it. */
    @Test
    void aLeaderThatLearnsWhatAnotherHasDecidedLeadsNoMore() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        var learn = new LogMessage.Learn(new Ballot(99, N2), leader.log.decided() + 1, List.of(COMMAND));

        leader.log.onMessage(N2, learn, leader.now());

        assertThat(leader.log.propose(Slice.utf8("x"))).isZero();
    }

    /** Whoever boots may have promised to keep a leader. */
    @Test
    void aBootKeepsTheLeaseOfTheOneBefore() {
        for (int seed = 1; seed <= 10; seed++) {
            LogCluster cluster = founded(seed);
            cluster.cut(N1, N3);
            cluster.cut(N3, N1);
            cluster.run(3 * SECOND);
            cluster.cut(N1, N2);
            cluster.bounce(cluster.members.get(N2));
            cluster.run(5 * SECOND);

            assertThat(cluster.leader().id).isNotEqualTo(N1);
        }
    }

    /** An election takes two syncs one after the other, and who begins again before it is over ends it. */
    @Test
    void slowDisksDelayAnElectionAndDoNotPreventIt() {
        for (int seed = 1; seed <= 10; seed++) {
            LogCluster cluster = founded(seed);
            cluster.syncNanos = 6 * SECOND / 10;
            cluster.bounce(cluster.leader());
            long from = cluster.now;
            do {
                cluster.run(SECOND / 10);
                assertThat(cluster.now - from).as("seed %d", seed).isLessThan(30 * SECOND);
            } while (cluster.leader() == null);
        }
    }

    /** The lease is over first, and then the next one in the order of the seats waits neither for chance nor for the dead one's turn. */
    @Test
    void soonAfterTheLeaderDiedAnotherOneLeads() {
        List<Long> outages = new ArrayList<>();
        for (int seed = 1; seed <= 100; seed++) {
            LogCluster cluster = founded(seed);
            cluster.crash(cluster.leader());
            long from = cluster.now;
            while (cluster.leader() == null) {
                cluster.run(SECOND / 100);
            }
            outages.add((cluster.now - from) / LogCluster.MILLI);
        }
        outages.sort(null);

        assertThat(outages.get(89)).as("of nine in ten: %s", outages).isLessThan(1500);
    }

    /** A leader that was away asks for its own lease only, not for that of its successor. */
    @Test
    void aLeaderReleasesItsOwnLeaseOnly() {
        for (int seed = 1; seed <= 10; seed++) {
            LogCluster cluster = founded(seed);
            for (NodeId other : List.of(N2, N3)) {
                cluster.cut(N1, other);
                cluster.cut(other, N1);
            }
            cluster.run(SECOND / 10);
            while (cluster.leader() == null || cluster.leader().id.equals(N1)) {
                cluster.run(10 * LogCluster.MILLI);
            }
            NodeId follows = cluster.leader().id.equals(N2) ? N3 : N2;
            cluster.mend(N1, follows);
            cluster.mend(follows, N1);
            cluster.run(5 * SECOND);
            cluster.heal();
            cluster.run(5 * SECOND);

            assertThat(cluster.leader().id).isEqualTo(N1);
        }
    }

    /** Its election came to nothing, and whoever leads cannot do without it. */
    @Test
    void aMemberThatHasPromisedMoreIsWonBack() {
        LogCluster cluster = founded(1);
        LogMember member = cluster.members.get(N3);
        cluster.cut(N1, N2);
        Ballot led = member.disk.promised;
        LogMessage.Prepare ask =
                new LogMessage.Prepare(led.next(N2), false, member.log.decided(), member.log.seats(), led, false);
        member.turn(() -> member.log.onMessage(N2, ask, member.now()));
        cluster.run(SECOND / 2);
        assertThat(member.disk.promised).isEqualTo(led.next(N2).next(N1));

        cluster.propose("a");
        cluster.run(SECOND / 5);
        assertThat(cluster.agreed).hasSize(2);
    }

    /** A leader takes the echo for the knowledge of all that it said to be decided: see isChangingSeats. */
    @Test
    void whatIsSaidToBeDecidedIsTakenBeforeAGapToo() {
        LogCluster cluster = founded(1);
        LogMember member = cluster.members.get(N2);
        Ballot led = member.disk.promised;
        long decided = member.log.decided();
        LogEntry seats = LogEntry.seats(member.log.seats().list());
        LogMessage proposed = new LogMessage.Accept(led, decided + 1, List.of(seats), decided, member.now(), 0, 1, 0);
        LogMessage behindAGap =
                new LogMessage.Accept(led, decided + 4, List.of(), decided + 1, member.now() + 1, 0, 1, 0);
        member.log.onMessage(N1, proposed, member.now());
        member.sync();
        member.log.onMessage(N1, behindAGap, member.now());

        assertThat(member.log.seats().slot()).isEqualTo(decided + 1);
        assertThat(member.log.behind()).isZero();
        member.log.onMessage(
                N1,
                new LogMessage.Accept(led, decided + 4, List.of(), decided + 3, member.now() + 2, 0, 1, 0),
                member.now());
        assertThat(member.log.behind()).isEqualTo(2);
    }

    /** Otherwise an emptied founder and those who had not heard could found the group once more. */
    @Test
    void aGroupIsFoundedByAll() {
        LogCluster cluster = new LogCluster(1, 3);
        cluster.cut(N3, N1);
        cluster.cut(N3, N2);
        cluster.run(20 * SECOND);
        assertThat(cluster.agreed).isEmpty();

        cluster.heal();
        cluster.run(5 * SECOND);
        assertThat(cluster.agreed).hasSize(1);
    }

    /** Its own store has nothing of it, the others are farther away than the load leaves time for. */
    @Test
    void underLoadAnEmptiedHomeGetsItsSeatAndTheLead() {
        LogCluster cluster = founded(1);
        LogMember home = cluster.members.get(N1);
        home.crash();
        cluster.empty(home);
        load(cluster, 15 * SECOND);

        assertThat(cluster.leader().id).isEqualTo(N1);
        assertThat(cluster.leader().log.seats().has(new Seat(N1, home.disk.number)))
                .isTrue();
    }

    /** Its own entries keep the lease that it granted to itself. */
    @Test
    void aLeaderThatGaveUpKnowsOfNoLeader() {
        LogCluster cluster = founded(1);
        LogMember leader = cluster.leader();
        for (NodeId other : List.of(N2, N3)) {
            cluster.cut(N1, other);
            cluster.cut(other, N1);
        }
        long end = cluster.now + 10 * SECOND;
        while (leader.log.leads() && cluster.now < end) {
            cluster.run(SECOND / 100);
        }
        assertThat(leader.log.leads()).isFalse();
        assertThat(leader.log.leader(leader.now())).isNull();
    }

    @Test
    void whatIsLostIsSentAgainOnce() {
        LogCluster cluster = founded(1);
        load(cluster, SECOND);
        cluster.entriesSent = 0;
        long before = cluster.leader().log.decided();
        for (int i = 0; i < 20; i++) {
            load(cluster, SECOND / 2);
            cluster.breakLink(N1, N2);
        }
        load(cluster, SECOND);

        assertThat(cluster.entriesSent).isLessThan(3 * (cluster.leader().log.decided() - before));
    }

    /** What comes after a change of the seats is for the new ones to tell, and has no place before it is decided. */
    @Test
    void aNewLeaderAdoptsNothingBehindAChangeOfTheSeats() {
        List<Proposal> accepted =
                List.of(new Proposal(OLD, LogEntry.seats(SEATS.list())), new Proposal(OLDER, COMMAND));

        assertThat(elect(accepted, List.of())).containsExactly(entry(2L, LogEntry.seats(SEATS.list())));
    }

    @Test
    void whatIsLearnedInTheTurnOfAnElectionKeepsItsSlot() {
        List<LogMessage> learned = List.of(new LogMessage.Learn(OLD, 2, List.of(COMMAND)));

        assertThat(elect(List.of(new Proposal(OLD, COMMAND)), learned)).containsExactly(entry(2L, COMMAND));
    }

    /** Pages after a lost one, and a part of the pages, do not count. Of two proposals for a slot the later one does. */
    @Test
    void aPromiseCountsOnceAllItsPagesAreThere() {
        LogCluster cluster = new LogCluster(1, 3);
        LogMember member = cluster.members.get(N1);
        Journal journal = new Journal(member, new LogRecord(OLD, 1, SEATS, 1, List.of()));
        Ballot ballot = OLD.next(N1);
        Candidacy candidacy = new Candidacy(ballot, journal, true, null, List.of(), OLD, member);
        Seat second = SEATS.list().get(1);
        Seat third = SEATS.list().get(2);
        List<Proposal> page = List.of(new Proposal(OLD, COMMAND));
        List<Proposal> older = List.of(new Proposal(OLDER, LogEntry.seats(SEATS.list())));

        assertThat(candidacy.onPromise(new LogMessage.Promise(ballot, false, third, 2, 2, older)))
                .isFalse();
        assertThat(candidacy.onPromise(new LogMessage.Promise(ballot, false, second, 3, 3, page)))
                .isFalse();
        assertThat(candidacy.onPromise(new LogMessage.Promise(ballot, false, second, 2, 3, page)))
                .isFalse();
        assertThat(candidacy.onPromise(new LogMessage.Promise(ballot, false, second, 3, 3, page)))
                .isTrue();
        assertThat(candidacy.adopted(1)).containsExactly(COMMAND, COMMAND);
    }

    /** It does not know which of its ballots were used before its store was emptied. */
    @Test
    void withoutASeatNobodyTakesOver() {
        LogCluster cluster = new LogCluster(1, 3);
        LogMember member = cluster.members.get(N1);
        ReplicatedLog log = new ReplicatedLog(
                new Seat(N1, 9), cluster.timing, new LogRecord(OLD, 1, SEATS, 1, List.of()), () -> 0, member, 0);
        log.onMessage(N2, new LogMessage.TakeOver(OLD), 0);

        assertThat(member.hasUnsynced()).isFalse();
    }

    /** Returns what n1 proposes once n2 and n3, which have accepted this after slot 1, elect it; the rest comes in the same turn. */
    private static Map<Long, LogEntry> elect(List<Proposal> accepted, List<LogMessage> rest) {
        LogCluster cluster = new LogCluster(1, 3);
        LogMember member = cluster.members.get(N1);
        Map<Long, LogEntry> proposed = new TreeMap<>();
        cluster.heard = message -> {
            if (message instanceof LogMessage.Accept accept) {
                for (int i = 0; i < accept.entries().size(); i++) {
                    proposed.put(accept.first() + i, accept.entries().get(i));
                }
            }
        };
        ReplicatedLog log = new ReplicatedLog(
                SEATS.home(), cluster.timing, new LogRecord(OLD, 1, SEATS, 1, accepted), () -> 0, member, 0);
        log.endOfTurn(10 * SECOND);
        Ballot ballot = OLD.next(N1);
        long last = 1 + accepted.size();
        for (Seat seat : SEATS.list()) {
            log.onMessage(seat.node(), new LogMessage.Promise(ballot, true, seat, 2, 1, List.of()), 10 * SECOND);
        }
        for (Seat seat : SEATS.list().subList(1, 3)) {
            log.onMessage(seat.node(), new LogMessage.Promise(ballot, false, seat, 2, last, accepted), 10 * SECOND);
        }
        rest.forEach(message -> log.onMessage(N2, message, 10 * SECOND));
        log.endOfTurn(10 * SECOND);
        return proposed;
    }

    static LogCluster founded(long seed) {
        LogCluster cluster = new LogCluster(seed, 3);
        cluster.run(10 * SECOND);
        assertThat(cluster.leader().id).isEqualTo(N1);
        return cluster;
    }

    /** Something new to agree on each 5 ms. */
    private static void load(LogCluster cluster, long nanos) {
        for (long end = cluster.now + nanos; cluster.now < end; ) {
            cluster.propose("at " + cluster.now);
            cluster.run(5 * LogCluster.MILLI);
        }
    }

    /** Whole lives, drawn: {@code -Dseed=} runs one of them. */
    @Test
    void allAgreeWhateverHappens() {
        long only = Long.getLong("seed", 0);
        for (long seed = only == 0 ? FIRST : only; seed < (only == 0 ? FIRST + RUNS : only + 1); seed++) {
            try {
                live(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** Whether the lead is at home, and all seats belong to their nodes' present stores. */
    private static boolean isAtHome(LogCluster cluster) {
        LogMember leader = cluster.leader();
        return leader != null
                && !leader.log.isChangingSeats()
                && leader.id.equals(leader.log.seats().home().node())
                && leader.log.seats().list().stream()
                        .allMatch(seat -> seat.store() == cluster.members.get(seat.node()).disk.number);
    }

    private static void live(long seed) {
        LogCluster cluster = new LogCluster(seed, 1 + (int) (seed % 5));
        LogNemesis nemesis = new LogNemesis(cluster);
        Random random = cluster.random;
        String large = "x".repeat(20_000);
        for (int i = 0; i < 300; i++) {
            cluster.run(random.nextInt(random.nextInt(4) == 0 ? 2000 : 200) * LogCluster.MILLI);
            for (int j = random.nextInt(4); j > 0; j--) {
                cluster.propose(i + "." + j + (random.nextInt(20) == 0 ? large : ""));
            }
            nemesis.act();
        }
        nemesis.endAll();
        cluster.run(SECOND);
        cluster.runUntil(() -> isAtHome(cluster), 60 * SECOND);
        cluster.propose("last");
        cluster.run(SECOND);

        assertThat(cluster.leader()).as("a leader of %s", cluster).isNotNull();
        assertThat(cluster.leader().id)
                .as("the home of the lead in %s", cluster)
                .isEqualTo(cluster.leader().log.seats().home().node());
        long decided = cluster.leader().log.decided();
        assertThat(new String(cluster.agreed.get(decided).body().toArray(), StandardCharsets.UTF_8))
                .isEqualTo(cluster.leader().id + " last");
        List<NodeId> seated = new ArrayList<>();
        cluster.leader().log.seats().list().forEach(seat -> seated.add(seat.node()));
        for (NodeId id : seated) {
            LogMember member = cluster.members.get(id);
            assertThat(member.log.decided()).as("%s", id).isEqualTo(decided);
            assertThat(member.executed.equals(cluster.agreed))
                    .as("%s executed all", id)
                    .isTrue();
            assertThat(cluster.leader().log.seats().has(new Seat(id, member.disk.number)))
                    .isTrue();
        }
    }
}
