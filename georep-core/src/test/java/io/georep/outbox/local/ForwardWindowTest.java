package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.BrokenInvariantException;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.RecalledEntries;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How many entries one forwarding asks for, and how many workers it has for them. */
class ForwardWindowTest {
    private static final int WINDOW = 8;
    private static final StreamId STREAM = new StreamId(NodeId.of("a"), 1, 0);

    private final ForwardWindow intake =
            new ForwardWindow(new ForwardOptions().concurrency(1).window(WINDOW).values());

    private static List<OutboxEvent.Delivered> entries(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(number -> new OutboxEvent.Delivered(new EntryId(STREAM, number), Slice.EMPTY, null, 0))
                .toList();
    }

    /** Begins the only worker and takes this many entries into hands. */
    private List<EntryInHand> work(ForwardWindow.Orders orders, int entries) {
        assertThat(orders.workers())
                .singleElement()
                .satisfies(worker -> assertThat(intake.begins(worker)).isTrue());
        return intake.claim(entries);
    }

    @Test
    void creditThatIsOutIsNotGivenAgain() {
        assertThat(intake.sweep(0).credit()).isEqualTo(WINDOW);

        assertThat(intake.sweep(0).credit()).isZero();
        assertThat(intake.delivered(entries(0, 3), 0).credit()).isZero();
    }

    @Test
    void aWorkerThatFoundNothingMakesRoomForTheNext() {
        intake.sweep(0);
        work(intake.delivered(entries(0, 1), 0), 1);
        intake.finished(1, 0, 0);
        assertThat(intake.claim(1)).isNull();

        assertThat(intake.delivered(entries(1, 2), 0).workers()).hasSize(1);
    }

    @Test
    void entriesThatWaitForTheirNextAttemptFreeTheirPlaceInTheWindow() {
        intake.sweep(0);
        List<EntryInHand> inHands = work(intake.delivered(entries(0, WINDOW), 0), WINDOW);
        assertThat(intake.active()).isEqualTo(WINDOW);

        int credit = 0;
        for (EntryInHand attempt : inHands) {
            credit += intake.park(attempt, 1_000, 0).credit();
        }

        assertThat(credit).isEqualTo(WINDOW);
        assertThat(intake.active()).isZero();
        assertThat(intake.parked()).isEqualTo(WINDOW);
    }

    @Test
    void nothingIsInHandsWhenWhatWasThereWaitsForItsNextAttempt() {
        intake.sweep(0);
        List<EntryInHand> inHands = work(intake.delivered(entries(0, 1), 0), 1);
        intake.stop(0);
        assertThat(intake.awaitHandsEmpty(0)).isFalse();

        assertThat(intake.park(inHands.get(0), 1_000, 0).giveBack()).containsExactly(inHands.get(0).id);
        assertThat(intake.awaitHandsEmpty(0)).isTrue();
    }

    private static List<OutboxEvent.Delivered> large(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(number ->
                        new OutboxEvent.Delivered(new EntryId(STREAM, number), Slice.of(new byte[100]), null, 0))
                .toList();
    }

    private static List<EntryId> ids(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(number -> new EntryId(STREAM, number))
                .toList();
    }

    @Test
    void whatIsBeyondTheBytesOfTheWindowGoesBack() {
        ForwardWindow bounded = new ForwardWindow(
                new ForwardOptions().window(WINDOW).windowBytes(250).values());
        assertThat(bounded.sweep(0).credit()).isEqualTo(WINDOW);

        ForwardWindow.Orders orders = bounded.delivered(large(0, WINDOW), 0);

        assertThat(orders.giveBack()).as("the third one reaches the bound").isEqualTo(ids(3, WINDOW));
        assertThat(orders.credit()).isZero();
        assertThat(bounded.active()).isEqualTo(3);
    }

    @Test
    void whatIsCountedOfEntriesAgrees() {
        intake.sweep(0);
        work(intake.delivered(large(0, 2), 0), 2);
        intake.check();

        intake.finished(2, 100, 0);
        assertThatThrownBy(intake::check)
                .isInstanceOf(BrokenInvariantException.class)
                .hasMessageContaining("bytes are those of active entries");
        intake.finished(1, 100, 0);
        assertThatThrownBy(intake::check).hasMessageContaining("no more comes back than was in hands");
    }

    @Test
    void whatIsCountedAgreesWhenTheNextForwardingTakesOver() {
        intake.sweep(0);
        EntryInHand parked = work(intake.delivered(large(0, 1), 0), 1).get(0);
        parked.entry = null;
        intake.park(parked, 1, 0);
        assertThat(intake.sweep(2).reread()).hasSize(1);
        ForwardWindow next =
                new ForwardWindow(new ForwardOptions().window(WINDOW).values());

        intake.stop(2);
        intake.passTo(next);
        intake.check();
        next.check();
        assertThat(next.active()).isEqualTo(1);
    }

    @Test
    void asManyAreAskedForAsUsuallyFit() {
        ForwardWindow bounded = new ForwardWindow(
                new ForwardOptions().window(1_000).windowBytes(800).values());
        bounded.sweep(0);
        ForwardWindow.Orders orders = bounded.delivered(large(0, 800), 0);
        orders.workers().forEach(bounded::begins);
        assertThat(bounded.claim(1_000)).hasSize(8);

        assertThat(bounded.finished(7, 700, 0).credit()).isBetween(1, 8);
    }

    @Test
    void anEntryThatIsLargerThanTheWindowStillComes() {
        ForwardWindow bounded =
                new ForwardWindow(new ForwardOptions().windowBytes(1).values());
        bounded.sweep(0);
        ForwardWindow.Orders orders = bounded.delivered(large(0, 2), 0);
        assertThat(orders.giveBack()).isEqualTo(ids(1, 2));
        orders.workers().forEach(bounded::begins);
        assertThat(bounded.claim(2)).hasSize(1);
        assertThat(bounded.sweep(0).credit()).isZero();
    }

    /** Every way in and out of the window, with and without the payload. */
    @Test
    void bytesAreCountedOnceHoweverAnEntryComesAndGoes() {
        ForwardWindow bounded = new ForwardWindow(new ForwardOptions()
                .window(WINDOW)
                .windowBytes(100)
                .parkedBytesMax(0)
                .values());
        bounded.sweep(0);
        bounded.delivered(large(0, 1), 0).workers().forEach(bounded::begins);
        EntryInHand attempt = bounded.claim(1).get(0);
        bounded.park(attempt, 10, 0);

        assertThat(bounded.sweep(10).reread()).isEqualTo(ids(0, 1));
        assertThat(bounded.delivered(large(1, 2), 10).giveBack())
                .as("the one that is read again has the room")
                .isEqualTo(ids(1, 2));
        assertThat(bounded.delivered(large(0, 1), 10).giveBack()).isEmpty();
        assertThat(bounded.pause(10).giveBack()).as("never failed").isEqualTo(ids(0, 1));
        bounded.resume(10);
        assertThat(bounded.delivered(large(2, 3), 10).giveBack()).isEmpty();
        List<EntryInHand> again = bounded.claim(1);
        bounded.untouched(again, 10);
        assertThat(bounded.delivered(large(3, 4), 10).giveBack()).isEqualTo(ids(3, 4));
    }

    /** A consumer that is down, and the payloads of a whole backlog. */
    @Test
    void payloadsOfWhatWaitsAreBoundedInBytes() {
        ForwardWindow bounded = new ForwardWindow(
                new ForwardOptions().window(WINDOW).parkedBytesMax(1_000).values());
        bounded.sweep(0);
        for (int i = 0; i < 100; i++) {
            bounded.delivered(large(i, i + 1), 0).workers().forEach(bounded::begins);
            bounded.park(bounded.claim(1).get(0), 10, 0);
        }

        assertThat(bounded.parked()).isEqualTo(100);
        assertThat(bounded.parkedBytes()).isBetween(500L, 1_000L);

        bounded.stop(0);
        assertThat(bounded.parkedBytes()).isZero();
    }

    @Test
    void whatWaitsSharesNoBytesWithTheRestOfItsGroup() {
        intake.sweep(0);
        Slice group = Slice.of(new byte[1_000]);
        Slice part = new Slice(group.array(), 10, 5);
        EntryInHand attempt = work(
                        intake.delivered(List.of(new OutboxEvent.Delivered(new EntryId(STREAM, 0), part, null, 0)), 0),
                        1)
                .get(0);

        intake.park(attempt, 10, 0);

        assertThat(attempt.entry).isNotNull();
        assertThat(attempt.entry.payload().array()).hasSize(5);
    }

    /** Entries that were sent together are in one group. */
    @Test
    void whatIsDueIsReadAgainManyAtATimeInTheOrderOfIds() {
        ForwardWindow bounded = new ForwardWindow(
                new ForwardOptions().window(WINDOW).parkedBytesMax(0).values());
        bounded.sweep(0);
        List<EntryInHand> inHands = List.of();
        for (int i = 0; i < 2; i++) {
            bounded.delivered(entries(i * WINDOW, (i + 1) * WINDOW), 0)
                    .workers()
                    .forEach(bounded::begins);
            inHands = bounded.claim(WINDOW);
            for (EntryInHand attempt : inHands) {
                bounded.park(attempt, 1_000 - attempt.id.sequence(), 0);
            }
        }

        assertThat(bounded.sweep(1_000).reread()).isEqualTo(ids(0, WINDOW));
        bounded.delivered(entries(0, WINDOW), 1_000).workers().forEach(bounded::begins);
        inHands = bounded.claim(WINDOW);
        assertThat(bounded.finished(1, 0, 1_000).reread())
                .as("nothing is ready")
                .isEqualTo(ids(WINDOW, WINDOW + 1));
        assertThat(bounded.finished(1, 0, 1_000).reread())
                .as("one is under way")
                .isEmpty();
        assertThat(bounded.finished(1, 0, 1_000).reread()).isEqualTo(ids(WINDOW + 1, WINDOW + 3));
    }

    /** As jitter spreads them; each moment has a group read once. */
    @Test
    void retriesWithoutPayloadAreDueAtFewMoments() {
        long second = 1_000_000_000;
        ParkedEntries waiting = new ParkedEntries(0);
        for (OutboxEvent.Delivered entry : entries(0, 1_000)) {
            EntryInHand attempt = new EntryInHand(entry);
            attempt.failures = 1;
            waiting.add(attempt, 48 * second + entry.id().sequence() * 24 * second / 1_000, 0);
        }
        EntryInHand delayed = new EntryInHand(entries(1_000, 1_001).get(0));
        waiting.add(delayed, 60 * second + 1, 0);

        int moments = 0;
        long now = waiting.nextNanos(0);
        for (; now != Long.MAX_VALUE; now = waiting.nextNanos(now)) {
            moments++;
            for (EntryInHand due = waiting.pollDue(now); due != null; due = waiting.pollDue(now)) {
                long early = due == delayed ? 60 * second + 1 : 48 * second + due.id.sequence() * 24 * second / 1_000;
                assertThat(now - early).isBetween(0L, due == delayed ? 0L : early / 16);
            }
        }

        assertThat(moments).isBetween(8, 15);
        assertThat(waiting.size()).isZero();
    }

    private ForwardWindow.Orders recall(long from, long to) {
        return intake.recall(RecalledEntries.of(ids(from, to)), 0);
    }

    @Test
    void whatIsAskedBackGoesBackUnlessItIsInHands() {
        intake.sweep(0);
        List<EntryInHand> inHands = work(intake.delivered(entries(0, 6), 0), 3);
        intake.park(inHands.get(0), 1_000, 0);
        int recalls = intake.recalls();
        assertThat(intake.holding(recalls)).isFalse();

        assertThat(recall(0, 5).giveBack())
                .as("parked or ready")
                .containsExactlyElementsOf(
                        List.of(ids(3, 4).get(0), ids(4, 5).get(0), ids(0, 1).get(0)));
        assertThat(intake.holding(recalls))
                .as("the rest of what was claimed is looked at again")
                .isTrue();
        inHands.get(1).called = true;
        assertThat(intake.park(inHands.get(1), 1_000, 0).giveBackTried()).isEqualTo(ids(1, 2));
        assertThat(intake.untouched(List.of(inHands.get(2)), 0).giveBack()).isEqualTo(ids(2, 3));
        assertThat(intake.active()).isEqualTo(1);
        assertThat(intake.parked()).isZero();
    }

    /** It came back, and was handed out once more: the node had no use for it. */
    @Test
    void whatComesAgainIsNotAskedForAnyMore() {
        intake.sweep(0);
        EntryInHand held = work(intake.delivered(entries(0, 2), 0), 1).get(0);
        assertThat(recall(1, 2).giveBack()).isEqualTo(ids(1, 2));

        intake.delivered(entries(1, 2), 0);
        EntryInHand again = intake.claim(1).get(0);

        assertThat(intake.park(again, 1_000, 0).giveBack()).isEmpty();
        assertThat(intake.parked()).isEqualTo(1);
        assertThat(held.called).isFalse();
    }

    @Test
    void whatIsReadAgainGoesBackWhenItComes() {
        ForwardWindow bounded = new ForwardWindow(
                new ForwardOptions().window(WINDOW).parkedBytesMax(0).values());
        bounded.sweep(0);
        bounded.delivered(entries(0, 1), 0).workers().forEach(bounded::begins);
        bounded.park(bounded.claim(1).get(0), 10, 0);
        assertThat(bounded.sweep(10).reread()).isEqualTo(ids(0, 1));

        assertThat(bounded.recall(RecalledEntries.of(ids(0, 1)), 10).giveBack()).isEmpty();

        assertThat(bounded.delivered(entries(0, 1), 10).giveBack()).isEqualTo(ids(0, 1));
    }

    /** Else there would be more calls at a time than were asked for. */
    @Test
    void aWorkerThatAnExecutorRunsTwiceBeginsOnce() {
        intake.sweep(0);
        WorkerPool.Worker worker = intake.delivered(entries(0, 1), 0).workers().get(0);

        assertThat(intake.begins(worker)).isTrue();
        assertThat(intake.begins(worker)).isFalse();
    }

    /** Whoever keeps the alarms remembers one of them only. */
    @Test
    void whenTheAlarmRingsTheNextOneIsAskedFor() {
        intake.sweep(0);
        List<EntryInHand> inHands = work(intake.delivered(entries(0, WINDOW), 0), 2);
        assertThat(intake.park(inHands.get(0), 1_000, 0).alarmNanos()).isEqualTo(1_000);
        assertThat(intake.park(inHands.get(1), 100, 0).alarmNanos()).isEqualTo(100);

        assertThat(intake.sweep(50).alarmNanos())
                .as("too early, perhaps for another one")
                .isEqualTo(100);
        assertThat(intake.sweep(100).alarmNanos()).isEqualTo(1_000);
    }
}
