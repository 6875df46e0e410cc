package io.georep.consensus;

import static io.georep.consensus.ReplicatedLogTest.founded;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogMessage.Accept;
import io.georep.consensus.LogMessage.Accepted;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A member hears that another log has gone on from its own. */
class AllegianceTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N4 = NodeId.of("n4");
    private static final long OTHER = 7;

    private final LogCluster cluster = founded(1);

    private List<LogMember> followers() {
        return cluster.members.values().stream()
                .filter(each -> !each.log.leads())
                .toList();
    }

    /** It has gone on from the log of the member, with what was decided there up to a slot. */
    private static LogPlace goneOn(LogMember member, long inCommon) {
        Origin origin = new Origin(member.log.seats().log(), inCommon);
        return new LogPlace(OTHER, inCommon + 1, inCommon + 1, List.of(origin));
    }

    @Test
    void whoHasNoMoreThanIsInCommonGoesOverAndWhoHasMoreEnds() {
        LogMember even = followers().get(0);
        LogMember more = followers().get(1);
        assertThat(even.log.hears(N4, goneOn(even, even.log.decided()), even.now()))
                .isEqualTo(LogRelation.NEXT);
        assertThat(more.log.hears(N4, goneOn(more, more.log.decided() - 1), more.now()))
                .isEqualTo(LogRelation.ENDED);
        assertThat(even.log.allegiance().hasEnded()).isFalse();
        assertThat(even.log.allegiance().log()).isEqualTo(OTHER);
        assertThat(more.log.allegiance().hasEnded()).isTrue();
    }

    /** Two of the three would be enough for each other, and have heard of the other log before they booted. */
    @Test
    void whoHasLeftItsLogVotesThereInNoLaterBoot() {
        List<LogMember> members = List.copyOf(cluster.members.values());
        for (LogMember each : members.subList(0, 2)) {
            each.turn(() -> each.log.hears(N4, goneOn(each, each.log.decided()), each.now()));
            each.sync();
        }
        members.forEach(LogMember::crash);
        members.forEach(cluster::boot);
        cluster.run(20 * SECOND);
        assertThat(cluster.leader()).isNull();
    }

    /** The leader and this member were a majority, so it would decide that by itself once its vote is durable. */
    @Test
    void nothingIsDecidedInALogThatAMemberHasLeft() {
        LogMember leader = cluster.leader();
        cluster.cut(leader.id, followers().get(0).id);
        cluster.cut(leader.id, followers().get(1).id);
        LogMember left = followers().get(0);
        LogMember stays = followers().get(1);
        long slot = left.log.decided() + 1;
        for (LogMember each : List.of(left, stays)) {
            each.sync();
            Accept heartbeat = accept(each, slot, List.of(), 0);
            each.turn(() -> each.log.onMessage(leader.id, heartbeat, each.now()));
            each.sync();
            LogEntry entry = new LogEntry(LogEntry.COMMAND, Slice.utf8("more"));
            Accept more = accept(each, slot, List.of(entry), slot);
            each.turn(() -> each.log.onMessage(leader.id, more, each.now()));
            if (each == left) {
                each.turn(() -> each.log.hears(N4, goneOn(each, slot - 1), each.now()));
            }
            each.sync();
        }
        assertThat(stays.log.decided()).as("who has not left").isEqualTo(slot);
        assertThat(left.log.decided()).isEqualTo(slot - 1);
    }

    private Accept accept(LogMember to, long first, List<LogEntry> entries, long held) {
        Seats seats = to.log.seats();
        return new Accept(
                to.log.following(to.now()), first, entries, first - 1, to.now(), seats.log(), seats.slot(), held);
    }

    /** What it has accepted behind the last slot in common is of the former log, so it gets no vote with that. */
    @Test
    void nobodyGetsAVoteBeforeItKnowsWithWhatTheOtherLogBegins() {
        LogMember chosen = followers().get(0);
        LogMember other = followers().get(1);
        cluster.members.values().stream().filter(each -> each != chosen).forEach(LogMember::crash);
        chosen.turn(() -> chosen.log.restoration().goOn(chosen.now()));
        cluster.run(5 * SECOND);
        assertThat(cluster.leader()).isEqualTo(chosen);
        long begin = chosen.log.seats().slot();
        chosen.turn(() -> chosen.log.learners(List.of(other.id)));
        List<NodeId> both = List.of(chosen.id, other.id);
        said(chosen, other, begin - 1);
        assertThat(chosen.log.reseat(both)).isZero();
        said(chosen, other, begin);
        assertThat(chosen.log.reseat(both)).isPositive();
    }

    private static void said(LogMember leader, LogMember other, long matched) {
        Ballot ballot = leader.log.following(leader.now());
        Seat seat = new Seat(other.id, other.disk.number);
        Accepted accepted = new Accepted(
                ballot, seat, matched, leader.now(), false, leader.log.seats().log());
        leader.turn(() -> leader.log.onMessage(other.id, accepted, leader.now()));
    }
}
