package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogMessage.Accept;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A member goes on alone, and asks first what others have accepted. */
class LogRestorationTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;

    private final LogCluster cluster = new LogCluster(1, 5);
    private Ballot ballot;
    private LogMember one;
    private LogMember other;
    private List<NodeId> left;
    private long last;

    /** Three of five are lost for good, and the two that are left do not hear each other. */
    @BeforeEach
    void loses() {
        cluster.run(10 * SECOND);
        LogMember leader = cluster.leader();
        ballot = leader.log.following(leader.now());
        List<LogMember> all = List.copyOf(cluster.members.values());
        one = all.get(3);
        other = all.get(4);
        left = List.of(one.id, other.id);
        last = one.log.decided();
        assertThat(other.log.decided()).isEqualTo(last);
        all.subList(0, 3).forEach(LogMember::crash);
        cluster.run(SECOND / 2);
        cluster.cut(one.id, other.id);
        cluster.cut(other.id, one.id);
    }

    private void accepts(LogMember to, Ballot under, String... entries) {
        Seats seats = to.log.seats();
        List<LogEntry> page = Stream.of(entries).map(LogRestorationTest::entry).toList();
        Accept accept = new Accept(under, last + 1, page, last, to.now(), seats.log(), seats.slot(), 0);
        to.turn(() -> to.log.onMessage(under.leader(), accept, to.now()));
        to.sync();
    }

    private static LogEntry entry(String text) {
        return new LogEntry(LogEntry.COMMAND, Slice.utf8(text));
    }

    /** Until nobody keeps a promise to the leader that is lost. */
    private void waits() {
        cluster.run(3 * SECOND);
        cluster.heal();
    }

    private Collection<LogEntry> goesOn(LogMember alone) {
        asks(alone);
        assertThat(alone.log.restoration().isReady()).isTrue();
        alone.sync();
        alone.turn(() -> alone.log.restoration().goOn(alone.now()));
        return alone.executed
                .subMap(last, false, alone.log.seats().slot(), false)
                .values();
    }

    private void asks(LogMember alone) {
        alone.turn(() -> alone.log.restoration().ask(left));
        cluster.run(2 * SECOND);
    }

    @Test
    void whatOnlyTheOtherOneHasAcceptedIsKept() {
        accepts(one, ballot, "a");
        accepts(other, ballot, "a", "b");
        waits();
        assertThat(goesOn(one)).containsExactly(entry("a"), entry("b"));
    }

    /** The earlier leader had a majority for nothing of that, or the later one would have found it. */
    @Test
    void whatWasAcceptedLaterIsKept() {
        accepts(one, ballot, "earlier", "alone");
        accepts(other, ballot.next(ballot.leader()), "later");
        waits();
        assertThat(goesOn(one)).containsExactly(entry("later"), entry("alone"));
    }

    /** What it has taken over is no vote of its own, as long as it has not gone on. */
    @Test
    void whatIsTakenOverKeepsItsBallot() {
        accepts(other, ballot, "a");
        waits();
        asks(one);
        assertThat(one.log.restoration().isReady()).isTrue();
        one.sync();
        assertThat(one.disk.proposals.get(last + 1).ballot()).isEqualTo(ballot);
        assertThat(one.disk.promised).isGreaterThan(ballot);
    }

    @Test
    void whoHasPromisedSomebodyElseSinceIsNotReady() {
        waits();
        one.turn(() -> one.log.restoration().ask(left));
        asks(other);
        assertThat(List.of(one, other))
                .filteredOn(each -> each.log.restoration().isReady())
                .hasSizeLessThan(2);
    }

    @Test
    void whoHasPromisedSomebodyElseAfterAllHadAnsweredIsNotReadyAnyMore() {
        waits();
        asks(one);
        assertThat(one.log.restoration().isReady()).isTrue();
        asks(other);
        assertThat(one.log.restoration().isReady()).isFalse();
        assertThat(other.log.restoration().isReady()).isTrue();
    }

    /** Nobody knows what somebody has who does not answer. */
    @Test
    void nobodyIsReadyWithoutTheWordOfAll() {
        cluster.run(3 * SECOND);
        asks(one);
        assertThat(one.log.restoration().isUnderWay()).isTrue();
        assertThat(one.log.restoration().isReady()).isFalse();
        cluster.heal();
        asks(one);
        assertThat(one.log.restoration().isReady()).isTrue();
    }

    /** What it has of the log that it has left was accepted there, and may be under a higher ballot. */
    @Test
    void whoIsOnItsWayToTheLogReportsNothingOfTheOneThatItHasLeft() {
        accepts(other, ballot.next(ballot.leader()), "of the former log", "behind it");
        waits();
        one.turn(() -> one.log.restoration().goOn(one.now()));
        one.sync();
        one.log.abstain();
        other.turn(() -> other.log.hears(one.id, one.log.allegiance().place(), other.now()));
        assertThat(other.log.allegiance().goesOver()).isTrue();
        assertThat(goesOn(one))
                .filteredOn(each -> each.kind() == LogEntry.COMMAND)
                .isEmpty();
    }
}
