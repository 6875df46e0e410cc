package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.QUEUE;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StreamId;
import io.georep.outbox.Retry;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Attempts are counted, and dead letters stay dead, across owners and restarts (6.13). */
class AttemptsTest {
    private final OutboxFixture node = OutboxFixture.hardened();

    private void failed(StreamId stream, long sequence, int attempts) {
        node.node.onCommand(
                new OutboxCommand.Failed(List.of(new OutboxCommand.Failure(new EntryId(stream, sequence), attempts))),
                node.turn);
    }

    private void deadLetter(StreamId stream, long sequence, int attempts) {
        node.node.onCommand(
                new OutboxCommand.MakeDeadLetter(new EntryId(stream, sequence), attempts, "no such number"), node.turn);
    }

    private void replayAll() {
        node.node.onCommand(new OutboxCommand.ReplayDeadLetters(QUEUE, null, "token"), node.turn);
        node.settle();
    }

    private List<OutboxEvent.DeadLetter> deadLetters() {
        node.node.onCommand(new OutboxCommand.ListDeadLetters(QUEUE, null, 100, "token"), node.turn);
        node.settle();
        List<OutboxEvent.DeadLetterPage> pages = node.turn.events(OutboxEvent.DeadLetterPage.class);
        return pages.get(pages.size() - 1).letters();
    }

    private List<AttemptNews.Item> told(NodeId to) {
        List<AttemptNews.Item> items = new ArrayList<>();
        node.turn.sent(to, OutboxMessages.ATTEMPTS).forEach(sent -> {
            BinReader in = new BinReader(sent.body());
            in.stream();
            in.text();
            items.addAll(AttemptNews.read(in));
        });
        return items;
    }

    private void tell(NodeId from, AttemptNews.Item... items) {
        node.message(from, OutboxMessages.ATTEMPTS, AttemptNews.body(new StreamTable(OF_B, QUEUE), List.of(items)))
                .settle();
    }

    private static AttemptNews.Item tried(long sequence, int attempts) {
        return new AttemptNews.Item(sequence, new AttemptMark(0, false, attempts), null);
    }

    private static AttemptNews.Item dead(long sequence, long round) {
        return new AttemptNews.Item(
                sequence, new AttemptMark(round, true, 5), new AttemptNews.Letter(5, 1234, "no such number"));
    }

    private long recordsOfAttempts() {
        long[] count = {0};
        node.turn.completeStore();
        node.turn.disk().scanNow(OutboxKeys.attempts(), OutboxKeys.attemptsEnd(), (key, value) -> {
            count[0]++;
            return true;
        });
        return count[0];
    }

    /** A holds a copy of entries of B and C may adopt as well. */
    private void copyOfB(int count) {
        node.copy(B, OF_B, 0, count, custody(0, B, A, C)).settle();
    }

    private void adopt() {
        node.become(B, PeerState.TERMINATED).settle();
        node.credit(10).settle();
    }

    @Test
    void failedAttemptsAreToldToTheOtherOwnersInOneMessage() {
        node.stored(3, B, C).credit(10).settle();
        node.turn.forget();

        failed(node.own(), 0, 1);
        failed(node.own(), 2, 1);
        node.settle();

        for (NodeId owner : List.of(B, C)) {
            assertThat(node.turn.sent(owner, OutboxMessages.ATTEMPTS)).hasSize(1);
            assertThat(told(owner)).containsExactly(tried(0, 1), tried(2, 1));
        }
    }

    @Test
    void anEntryForwardedAtOnceLeavesNoRecord() {
        node.stored(1, B).credit(1).settle();
        node.turn.forget();
        node.forwarded(node.own(), 0).settle();

        assertThat(recordsOfAttempts()).isZero();
        assertThat(told(B)).isEmpty();
    }

    @Test
    void whoAdoptsGoesOnCounting() {
        copyOfB(2);
        tell(B, tried(1, 4));

        adopt();

        assertThat(node.deliveries())
                .extracting(OutboxEvent.Delivered::attempts)
                .containsExactly(0, 4);
    }

    /** A count that overflowed would be below every limit, and the entry be tried for ever. */
    @Test
    void whateverCountIsToldTheNextFailureIsNotBelowTheLimit() {
        copyOfB(1);
        tell(B, tried(0, Integer.MAX_VALUE));

        adopt();

        int failures = node.deliveries().get(0).attempts() + 1;
        assertThat(Retry.fixed(Duration.ZERO).attempts(3).again(failures, new IOException()))
                .isFalse();
        deadLetter(OF_B, 0, failures);
        assertThat(deadLetters()).hasSize(1);
    }

    @Test
    void aDeadLetterStaysDeadWithWhoAdoptsIt() {
        copyOfB(2);
        tell(B, dead(0, 0));

        adopt();

        assertThat(node.delivered()).containsExactly(1L);
        assertThat(deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.id()).isEqualTo(new EntryId(OF_B, 0));
            assertThat(letter.attempts()).isEqualTo(5);
            assertThat(letter.reason()).isEqualTo("no such number");
            assertThat(letter.atMillis()).isEqualTo(1234);
        });
    }

    @Test
    void whoAdoptedWithoutKnowingSetsAsideWhatIsNotInTheApplicationsHands() {
        copyOfB(3);
        node.become(B, PeerState.TERMINATED).settle();
        node.credit(1).settle();

        tell(C, dead(0, 0), dead(1, 0));
        node.credit(10).settle();

        assertThat(node.delivered()).containsExactly(0L, 2L);
        assertThat(deadLetters()).extracting(letter -> letter.id().sequence()).containsExactly(1L);
    }

    @Test
    void whatTheApplicationGivesBackIsSetAsideIfAnotherHolderGaveUpOnIt() {
        copyOfB(1);
        node.become(B, PeerState.TERMINATED).settle();
        node.credit(1).settle();
        tell(C, dead(0, 0));
        node.turn.forget();

        node.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(OF_B, 0))), node.turn);
        node.credit(1).settle();

        assertThat(node.delivered()).isEmpty();
        assertThat(deadLetters()).hasSize(1);
    }

    @Test
    void aRestartGoesOnCounting() {
        node.stored(2, B).credit(2).settle();
        failed(node.own(), 0, 2);
        node.settle();

        node.reboot(BootKind.PROMPT).credit(2).settle();

        assertThat(node.deliveries())
                .extracting(OutboxEvent.Delivered::attempts)
                .containsExactly(2, 0);
    }

    @Test
    void anEntryGivenBackBeforeItsFailureWasReportedIsCounted() {
        node.stored(1, B).credit(1).settle();
        node.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(node.own(), 0))), node.turn);
        failed(node.own(), 0, 1);
        node.settle();
        node.turn.forget();

        node.credit(1).settle();

        assertThat(node.deliveries())
                .extracting(OutboxEvent.Delivered::attempts)
                .containsExactly(1);
    }

    @Test
    void aReplayBeginsAnewEverywhereAndNoLateWordOfTheOldRoundCounts() {
        copyOfB(1);
        tell(B, dead(0, 0));
        adopt();
        node.turn.forget();

        replayAll();
        node.credit(1).settle();

        assertThat(node.deliveries())
                .extracting(OutboxEvent.Delivered::attempts)
                .containsExactly(0);
        assertThat(told(C)).containsExactly(new AttemptNews.Item(0, new AttemptMark(1, false, 0), null));
        node.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(OF_B, 0))), node.turn);
        node.turn.forget();
        tell(C, dead(0, 0));
        node.credit(1).settle();
        assertThat(node.delivered()).containsExactly(0L);
    }

    @Test
    void aHolderLearnsThatAnEntryWasReplayedElsewhere() {
        copyOfB(1);
        tell(B, dead(0, 0));
        adopt();
        assertThat(node.delivered()).isEmpty();

        tell(C, new AttemptNews.Item(0, new AttemptMark(1, false, 0), null));

        assertThat(node.delivered()).containsExactly(0L);
        assertThat(deadLetters()).isEmpty();
    }

    @Test
    void whoCedesTellsTheNewHolderAndKeepsWhatItKnows() {
        node.stored(2, B, C).credit(2).settle();
        deadLetter(node.own(), 0, 5);
        failed(node.own(), 1, 3);
        node.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(node.own(), 1))), node.turn);
        node.settle();
        node.turn.forget();

        node.claim(C, OutboxMessages.UPDATE, node.own(), custody(1, C, A, B), range(0, 2))
                .settle();

        assertThat(told(C)).extracting(AttemptNews.Item::sequence).containsExactlyInAnyOrder(0L, 1L);
        assertThat(told(C))
                .filteredOn(item -> item.sequence() == 0)
                .singleElement()
                .satisfies(item -> assertThat(item.letter().reason()).isEqualTo("no such number"));
        assertThat(deadLetters()).as("they are another node's now").isEmpty();

        node.turn.forget();
        node.become(C, PeerState.TERMINATED).settle();
        node.become(B, PeerState.TERMINATED).settle();
        assertThat(deadLetters()).as("and come back with the entries").hasSize(1);
    }

    @Test
    void aPeerThatWasOutOfReachIsToldWhenItIsBack() {
        node.stored(2, B).credit(2).settle();
        failed(node.own(), 0, 2);
        deadLetter(node.own(), 1, 5);
        node.settle();
        node.turn.forget();

        node.reachable(C).settle();
        assertThat(told(C)).as("it owns none of them").isEmpty();
        node.reachable(B).settle();

        assertThat(told(B)).extracting(AttemptNews.Item::sequence).containsExactlyInAnyOrder(0L, 1L);
    }

    @Test
    void recordsGoWithTheEntryHoweverItEnds() {
        node.stored(2, B).credit(2).settle();
        failed(node.own(), 0, 1);
        deadLetter(node.own(), 1, 5);
        copyOfB(2);
        tell(B, tried(0, 1), dead(1, 0));
        assertThat(recordsOfAttempts()).isEqualTo(4);

        node.forwarded(node.own(), 0);
        node.node.onCommand(new OutboxCommand.DeleteDeadLetters(QUEUE, null, "token"), node.turn);
        node.about(B, OutboxMessages.DELETE, OF_B, range(0, 2)).settle();

        assertThat(recordsOfAttempts()).isZero();
        node.reboot(BootKind.PROMPT);
        assertThat(deadLetters()).isEmpty();
    }

    /** Seed 574. */
    @Test
    void whatTheApplicationGivesUpIsOverIfAnotherOwnerEndedIt() {
        node.stored(1, B, C).credit(1).settle();
        node.about(B, OutboxMessages.DELETE, node.own(), range(0, 1)).settle();
        node.turn.forget();

        deadLetter(node.own(), 0, 5);
        node.settle();

        assertThat(deadLetters()).isEmpty();
        assertThat(node.told(C, OutboxMessages.DELETE).total()).isEqualTo(1);
    }

    @Test
    void wordsAboutEntriesThatAreNotHereAreIgnored() {
        tell(B, tried(0, 1), dead(1, 0));

        assertThat(recordsOfAttempts()).isZero();
    }

    @Test
    void aMessageIsReadToItsEndBeforeAnythingIsDone() {
        copyOfB(1);
        BinWriter broken = new BinWriter().stream(OF_B).text(QUEUE).varint(0);
        new AttemptMark(0, false, 3).write(broken);
        broken.varint(0).varint(0).u8(2);

        assertThatThrownBy(() -> node.message(B, OutboxMessages.ATTEMPTS, broken.toSlice()))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> node.message(
                        B,
                        OutboxMessages.ATTEMPTS,
                        new BinWriter().stream(OF_B).text(QUEUE).toSlice()))
                .isInstanceOf(MalformedException.class);

        assertThat(recordsOfAttempts()).isZero();
    }

    @Test
    void aLongReasonIsShortenedWithoutBreakingItsLetters() {
        AttemptNews.Letter letter = new AttemptNews.Letter(1, 0, "é".repeat(5_000));

        assertThat(letter.reason()).matches("é{300,512}");
    }

    @Test
    void ofTwoMarksOneOutranksTheOther() {
        List<AttemptMark> rising = List.of(
                AttemptMark.NONE,
                new AttemptMark(0, false, 1),
                new AttemptMark(0, false, 2),
                new AttemptMark(0, true, 1),
                new AttemptMark(0, true, 2),
                new AttemptMark(1, false, 0));
        for (int i = 0; i < rising.size(); i++) {
            for (int j = 0; j < rising.size(); j++) {
                assertThat(rising.get(i).outranks(rising.get(j))).isEqualTo(i > j);
            }
        }
    }
}
