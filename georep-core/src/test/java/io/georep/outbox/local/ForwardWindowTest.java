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
        intake.finished(1, 0);
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
}
