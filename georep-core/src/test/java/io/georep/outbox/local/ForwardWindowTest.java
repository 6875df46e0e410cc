package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.core.OutboxEvent;
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
                .mapToObj(number -> new OutboxEvent.Delivered(new EntryId(STREAM, number), Slice.EMPTY, null, 0, false))
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
                        new OutboxEvent.Delivered(new EntryId(STREAM, number), Slice.of(new byte[100]), null, 0, false))
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
                .parkedPayloadsMax(0)
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
        bounded.wantResume();
        bounded.resume(10);
        assertThat(bounded.delivered(large(2, 3), 10).giveBack()).isEmpty();
        List<EntryInHand> again = bounded.claim(1);
        bounded.untouched(again, 10);
        assertThat(bounded.delivered(large(3, 4), 10).giveBack()).isEqualTo(ids(3, 4));
    }
}
