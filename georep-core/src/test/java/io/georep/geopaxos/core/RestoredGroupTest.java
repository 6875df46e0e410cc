package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogPlace;
import io.georep.consensus.Origin;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoCommand.Restore;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.model.NodeId;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A majority of a group is lost for good, and an operator lets it go on from what one node has. */
class RestoredGroupTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");

    private static final LogEntry NOTHING = new LogEntry(LogEntry.COMMAND, new GroupEntry.Acked(List.of()).encode());

    private final GeoCluster cluster = new GeoCluster(7, Rules::new, List.of(List.of(N1, N2), List.of(N3, N2, N4)));

    private GeoMember member(NodeId name) {
        return cluster.members.get(name);
    }

    private void begin() {
        cluster.run(5 * SECOND);
        cluster.clients.begin(4);
        cluster.run(5 * SECOND);
    }

    private void loseTheFirstGroup() {
        cluster.lose(List.of(member(N1), member(N2)));
        cluster.heal();
        cluster.run(10 * SECOND);
        assertThat(cluster.leader(0)).isNull();
    }

    /** It has executed most. */
    private GeoMember best() {
        return Stream.of(member(N3), member(N4))
                .max(Comparator.comparingLong(each -> place(each).decided()))
                .orElseThrow();
    }

    private static LogPlace place(GeoMember member) {
        return member.node.log(0).allegiance().place();
    }

    @Test
    void aGroupWithoutVotersGoesOnFromTheBestCopy() {
        begin();
        loseTheFirstGroup();
        long decided = best().node.log(0).decided();
        assertThat(cluster.restore(best(), 0, List.of(N1, N2), List.of(best().id, N1, N2)))
                .isNull();
        cluster.run(20 * SECOND);
        assertThat(cluster.leader(0)).isEqualTo(best());
        assertThat(SeatChanges.names(best().node.log(0))).containsExactly(best().id, N1, N2);
        assertThat(member(N1).node.log(0).decided()).isGreaterThan(decided);
        cluster.end();
    }

    @Test
    void anOrderIsRefusedWhileTheGroupCanDecideOrSomebodyHasMore() {
        begin();
        assertThat(cluster.restore(member(N3), 0, List.of(N1, N2), List.of(N3))).contains("has a leader");
        loseTheFirstGroup();
        GeoMember best = best();
        assertThat(cluster.restore(best, 0, List.of(), List.of(best.id))).contains("name the voters");
        assertThat(cluster.restore(best, 0, List.of(N3), List.of(best.id))).contains("in reach with its store");
        assertThat(cluster.restore(best, 0, List.of(N1, N2), List.of(N1))).contains("name it among the voters");
        assertThat(cluster.restore(member(N1), 0, List.of(N1, N2), List.of(N1))).contains("does not have the state");
    }

    @Test
    void anOrderIsRefusedWhereLessIsKeptThanElsewhere() {
        begin();
        cluster.cut(N1, N4);
        cluster.cut(N2, N4);
        cluster.run(3 * SECOND);
        long more = place(member(N3)).decided() - place(member(N4)).decided();
        assertThat(more).isPositive();
        cluster.lose(List.of(member(N1), member(N2)));
        cluster.heal();
        cluster.run(10 * SECOND);
        assertThat(cluster.restore(member(N4), 0, List.of(N1, N2), List.of(N4)))
                .contains("n3 has executed " + more + " operations");
        assertThat(cluster.restore(member(N3), 0, List.of(N1, N2), List.of(N3))).isNull();
        cluster.run(5 * SECOND);
        assertThat(cluster.leader(0)).isEqualTo(member(N3));
    }

    /** The lost ones have acknowledged the second of two entries, and only who has executed less has it as well. */
    @Test
    void whatOneOfThoseWhoAreLeftHasInItsLogIsKept() {
        long last = rest();
        cutAll();
        accepts(member(N3), last + 1, List.of(NOTHING), last + 1);
        accepts(member(N4), last + 1, List.of(NOTHING, NOTHING), last);
        assertThat(place(member(N3)).decided()).isEqualTo(last + 1);
        assertThat(place(member(N4)))
                .extracting(LogPlace::decided, LogPlace::accepted)
                .containsExactly(last, last + 2);

        cluster.lose(List.of(member(N1), member(N2)));
        cluster.heal();
        cluster.run(10 * SECOND);
        assertThat(cluster.restore(member(N4), 0, List.of(N1, N2), List.of(N4))).contains("has executed 1 operations");
        assertThat(cluster.restore(member(N3), 0, List.of(N1, N2), List.of(N3))).isNull();
        cluster.run(5 * SECOND);
        assertThat(member(N3).node.log(0).entry(last + 2)).isEqualTo(NOTHING);
        assertThat(place(member(N3))).isEqualTo(place(member(N4)));
    }

    /** Returns the last slot of the first group, which both have that are to be left. */
    private long rest() {
        begin();
        cluster.clients.rest();
        cluster.run(5 * SECOND);
        long last = place(member(N3)).decided();
        assertThat(place(member(N4)).decided()).isEqualTo(last);
        return last;
    }

    private void cutAll() {
        cluster.members.keySet().forEach(one -> cluster.members.keySet().forEach(other -> cluster.cut(one, other)));
    }

    private void accepts(GeoMember member, long first, List<LogEntry> entries, long decided) {
        ReplicatedLog log = member.node.log(0);
        accepts(member, first, entries, decided, log.following(member.now()), log.seats());
    }

    private void accepts(
            GeoMember member, long first, List<LogEntry> entries, long decided, Ballot ballot, Seats seats) {
        LogMessage.Accept accept =
                new LogMessage.Accept(ballot, first, entries, decided, member.now(), seats.log(), seats.slot(), 0);
        member.turn(() -> member.node.onMessage(ballot.leader(), new GeoMessage.Log(0, accept), member.now()));
        member.sync();
    }

    /** Each of them has to ask the other one, so they do not both go on. */
    @Test
    void ofTwoOrdersAtOnceOneIsCarriedOutAtTheMost() {
        begin();
        loseTheFirstGroup();
        cluster.members.values().forEach(each -> each.refused.remove(GeoCluster.CHANGE));
        for (NodeId name : List.of(N3, N4)) {
            Restore order = new Restore("operator", 0, List.of(N1, N2), List.of(name), false);
            GeoMember at = member(name);
            at.turn(() -> at.node.restorations().restore(GeoCluster.CHANGE, order, at.now()));
        }
        cluster.run(20 * SECOND);
        assertThat(List.of(N3, N4))
                .filteredOn(name -> !member(name).refused.containsKey(GeoCluster.CHANGE))
                .hasSizeLessThan(2);
        assertThat(place(member(N3)).agreesWith(place(member(N4)))).isTrue();
    }

    @Test
    void anOrderIsNotCarriedOutOnceAnotherNodeHasGoneOn() {
        begin();
        loseTheFirstGroup();
        GeoMember best = best();
        Restore order = new Restore("operator", 0, List.of(N1, N2), List.of(best.id), false);
        long before = place(best).log();
        LogPlace other = new LogPlace(
                7, 1_000, 1_000, List.of(new Origin(before, place(best).decided())));
        best.turn(() -> best.node.restorations().restore(1, order, best.now()));
        assertThat(best.node.restorations().atOnce(order, best.now()))
                .as("a second one meanwhile")
                .isInstanceOfSatisfying(
                        GeoEvent.Refused.class, it -> assertThat(it.why()).contains("not answered yet"));
        GeoMessage.Logs logs = new GeoMessage.Logs(9, List.of(other));
        best.turn(() -> best.node.onMessage(N1, logs, best.now()));
        assertThat(best.refused).containsEntry(1L, GeoEvent.Reason.UNDECIDED);
        assertThat(best.node.log(0).leads()).isFalse();
        assertThat(place(best).log()).isEqualTo(7);
    }

    /** The disk is slow. Meanwhile the first order ends, because another node asks as well, and the operator repeats it. */
    @Test
    void anOrderThatIsRepeatedAsksTheOthersAgain() {
        rest();
        loseTheFirstGroup();
        GeoMember best = best();
        NodeId other = best == member(N3) ? N4 : N3;
        LogPlace before = place(best);
        Restore order = new Restore("operator", 0, List.of(N1, N2), List.of(best.id), false);
        best.turn(() -> best.node.restorations().restore(1, order, best.now()));
        isAnswered(best, other);
        LogMessage.Prepare question = new LogMessage.Prepare(
                new Ballot(1_000, other),
                false,
                before.decided(),
                best.node.log(0).seats(),
                null,
                true);
        best.turn(() -> best.node.onMessage(other, new GeoMessage.Log(0, question), best.now()));
        assertThat(best.refused).containsEntry(1L, GeoEvent.Reason.UNDECIDED);
        assertThat(best.node.restorations().atOnce(order, best.now())).isNull();
        best.turn(() -> best.node.restorations().restore(2, order, best.now()));
        isAnswered(best, other);
        assertThat(place(best).log()).as("before that is durable").isEqualTo(before.log());
        cluster.run(5 * SECOND);
        assertThat(cluster.leader(0)).isEqualTo(best);
        assertThat(best.refused).doesNotContainKey(2L);
    }

    /** All have answered, and the disk is slow. Meanwhile somebody who was called lost is in reach with its store. */
    @Test
    void anOrderIsNotCarriedOutIfWhoWasCalledLostIsNot() {
        rest();
        loseTheFirstGroup();
        GeoMember best = best();
        Restore order = new Restore("operator", 0, List.of(N1, N2), List.of(best.id), false);
        long store = best.node.log(0).seats().of(N1).store();
        List<LogPlace> places =
                List.of(place(best), best.node.log(1).allegiance().place());
        best.turn(() -> best.node.restorations().restore(1, order, best.now()));
        isAnswered(best, best == member(N3) ? N4 : N3);
        assertThat(best.node.restorations().ready()).isZero();
        best.turn(() -> best.node.onMessage(N1, new GeoMessage.Logs(store, places), best.now()));
        assertThat(best.refused).doesNotContainKey(1L);
        best.sync();
        assertThat(best.refused).containsEntry(1L, GeoEvent.Reason.UNDECIDED);
        assertThat(best.node.log(0).leads()).isFalse();
    }

    /** It waits for its store then. */
    private void isAnswered(GeoMember asks, NodeId other) {
        long log = place(asks).log();
        asks.sync(); // asks, also itself
        asks.sync(); // answers
        assertThat(place(asks).log()).as("before all have answered").isEqualTo(log);
        long decided = place(asks).decided();
        LogMessage.Promise answer = new LogMessage.Promise(
                asks.disk.get(0).promised,
                false,
                new Seat(other, member(other).store),
                decided + 1,
                decided,
                List.of());
        asks.turn(() -> asks.node.onMessage(other, new GeoMessage.Log(0, answer), asks.now()));
        assertThat(asks.node.restorations().ready()).as("has all answers").isZero();
    }

    /** By going on the node decides it, and what the operator wants comes after that. */
    @Test
    void anOrderIsAnsweredWhereAChangeOfTheVotersWasUnderWay() {
        long last = rest();
        cutAll();
        OrderedMapsLayout wanted =
                new OrderedMapsLayout(1, List.of(List.of(N1, N2, N4), List.of(N3, N2, N4)), List.of());
        LogEntry change = new LogEntry(LogEntry.COMMAND, new GroupEntry.Change(wanted).encode());
        accepts(member(N3), last + 1, List.of(change), last);
        loseTheFirstGroup();
        assertThat(cluster.restore(member(N3), 0, List.of(N1, N2), List.of(N3, N1, N2)))
                .isNull();
        cluster.run(20 * SECOND);
        assertThat(cluster.answers).containsKey(GeoCluster.CHANGE);
        assertThat(cluster.layout().version()).isEqualTo(2);
        assertThat(SeatChanges.names(member(N3).node.log(0))).containsExactly(N3, N1, N2);
    }

    /** It has learned of the new log what is in common and a part of what comes then, and the rest is forgotten there. */
    @Test
    void whoGoesOverInTheMidstIsTaughtByAState() {
        long last = rest();
        cutAll();
        accepts(member(N3), last + 1, List.of(NOTHING, NOTHING), last);
        loseTheFirstGroup();
        GeoMember chosen = member(N3);
        GeoMember late = member(N4);
        Restore order = new Restore("operator", 0, List.of(N1, N2), List.of(N3), false);
        chosen.turn(() -> chosen.node.restorations().restore(GeoCluster.CHANGE, order, chosen.now()));
        chosen.sync();
        cluster.cut(N3, N4); // the question is on its way
        cluster.run(5 * SECOND);
        assertThat(cluster.leader(0)).isEqualTo(chosen);

        GeoMessage.Logs logs = new GeoMessage.Logs(chosen.store, List.of(place(chosen)));
        late.turn(() -> late.node.onMessage(N3, logs, late.now()));
        Seats seats = chosen.node.log(0).seats();
        Ballot ballot = chosen.node.log(0).following(chosen.now());
        accepts(late, last + 1, List.of(NOTHING), last + 1, ballot, seats);
        assertThat(late.node.log(0).allegiance().goesOver()).isTrue();
        assertThat(place(late).decided()).isEqualTo(last + 1);
        chosen.turn(() -> chosen.node.log(0).forget(seats.slot()));
        cluster.heal();
        cluster.run(10 * SECOND);
        assertThat(late.node.log(0).allegiance().goesOver()).isFalse();
        assertThat(place(late)).isEqualTo(place(chosen));
    }

    /** A node that is left behind in another group has a vote, and refuses who knows less until it has taught it. */
    @Test
    void whatIsDecidedInALogInCommonIsTakenFromWhoIsLeftBehind() {
        rest();
        loseTheFirstGroup();
        GeoMember chosen = member(N4);
        LogPlace former = place(chosen);
        assertThat(cluster.restore(chosen, 0, List.of(N1, N2), List.of(N4))).isNull();
        cluster.run(5 * SECOND);
        GeoMember leader = cluster.leader(1);
        assertThat(leader).isEqualTo(member(N3));
        cluster.cut(N3, N4);
        leader.turn(() -> leader.node.log(1).propose(NOTHING.body()));
        cluster.run(SECOND);
        long slot = leader.node.log(1).decided();
        long known = chosen.node.log(1).decided();
        assertThat(slot).isGreaterThan(known);

        LogPlace second = leader.node.log(1).allegiance().place();
        chosen.turn(() -> chosen.node.onMessage(N1, new GeoMessage.Logs(9, List.of(former, second)), chosen.now()));
        LogEntry entry = leader.node.log(1).entry(known + 1);
        for (int group = 0; group < 2; group++) {
            long next = chosen.node.log(group).decided() + 1;
            LogMessage.Learn learn = new LogMessage.Learn(Ballot.NONE, next, List.of(entry));
            GeoMessage.Log taught = new GeoMessage.Log(group, learn);
            chosen.turn(() -> chosen.node.onMessage(N1, taught, chosen.now()));
            assertThat(chosen.node.log(group).decided()).isEqualTo(group == 0 ? next - 1 : next);
        }
    }

    /** Only memory knows whom the operator wants to vote, until that is ordered in the new log. */
    @Test
    void anOrderIsRepeatedWhereANodeHasGoneOnAndCrashed() {
        rest();
        loseTheFirstGroup();
        GeoMember best = best();
        List<NodeId> voters = List.of(best.id, N1, N2);
        assertThat(cluster.restore(best, 0, List.of(N1, N2), voters)).isNull();
        best.sync();
        best.crash();
        cluster.boot(best);
        cluster.run(10 * SECOND);
        assertThat(cluster.leader(0)).isEqualTo(best);
        assertThat(SeatChanges.names(best.node.log(0))).containsExactly(best.id);
        assertThat(cluster.isSettled()).isFalse();
        assertThat(cluster.restore(best, 0, List.of(N1, N2), voters)).isNull();
        cluster.run(20 * SECOND);
        assertThat(cluster.answers).containsKey(GeoCluster.CHANGE);
        assertThat(SeatChanges.names(best.node.log(0))).containsExactlyElementsOf(voters);
        assertThat(cluster.isSettled()).isTrue();
    }

    /** It may have acknowledged what it has, and the others have gone on without. */
    @Test
    void whoComesBackAndHasMoreTakesNothingUntilItIsEmptied() {
        begin();
        cluster.cut(N1, N3);
        cluster.cut(N1, N4);
        cluster.cut(N2, N3);
        cluster.cut(N2, N4);
        cluster.run(3 * SECOND);
        long more = member(N1).node.log(0).decided();
        assertThat(more).isGreaterThan(best().node.log(0).decided());
        member(N1).sync();
        cluster.crash(member(N1));
        cluster.heal();
        cluster.lose(List.of(member(N2)));
        cluster.run(10 * SECOND);
        assertThat(cluster.restore(best(), 0, List.of(N1, N2), List.of(best().id, N2)))
                .isNull();
        cluster.run(20 * SECOND);
        assertThat(cluster.leader(0)).isNotNull();

        member(N1).isLeft = true;
        cluster.boot(member(N1));
        cluster.run(10 * SECOND);
        assertThat(cluster.leftBehind).containsKey(N1);
        assertThat(member(N1).node.log(0).leads()).isFalse();
        assertThat(member(N1).node.log(0).decided()).isEqualTo(more);

        // What it asks for may rest on what is lost.
        OrderedMapsLayout present = cluster.layout();
        asksForTheSameAgain(N1, present);
        assertThat(cluster.layout()).isEqualTo(present);
        asksForTheSameAgain(N2, present);
        assertThat(cluster.layout().version()).isEqualTo(present.version() + 1);
        cluster.end();
    }

    private void asksForTheSameAgain(NodeId name, OrderedMapsLayout present) {
        GeoMember leader = cluster.leader(0);
        GeoMessage.Change change = new GeoMessage.Change(
                new OrderedMapsLayout(present.version() + 1, present.groups(), present.replicas()));
        leader.turn(() -> leader.node.onMessage(name, change, leader.now()));
        cluster.run(5 * SECOND);
    }
}
