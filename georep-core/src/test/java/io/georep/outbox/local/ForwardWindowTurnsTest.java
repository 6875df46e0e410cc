package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.core.messages.OutboxEvent;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** New entries and those that are due again share a window, however many there are of either. */
class ForwardWindowTurnsTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("a"), 1, 0);

    private static List<OutboxEvent.Delivered> entries(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(number ->
                        new OutboxEvent.Delivered(new EntryId(STREAM, number), Slice.of(new byte[100]), null, 0))
                .toList();
    }

    /** A consumer that fails at once for one destination and works for another; the failing entries are the first ones. */
    private static final class Destinations {
        static final int FAILING = 64;

        private final ForwardWindow intake;
        private long nextEntry;
        private int credit;
        private int failed;
        private int worked;
        private long now;
        private long alarmNanos = Long.MAX_VALUE;

        Destinations(ForwardOptions options) {
            intake = new ForwardWindow(options.concurrency(1).values());
            carryOut(intake.sweep(0));
            while (intake.parked() < FAILING) {
                deliver(FAILING);
                call(1_000);
            }
            ring();
        }

        private void carryOut(ForwardWindow.Orders orders) {
            credit += orders.credit();
            alarmNanos = Math.min(alarmNanos, orders.alarmNanos());
            // What goes back is handed out again later; which entry it was does not matter here.
            nextEntry -= orders.giveBack().size();
            orders.workers().forEach(intake::begins);
        }

        /** The node has entries below this one, and hands out as many as it may. */
        private void deliver(long end) {
            int count = (int) Math.min(credit, end - nextEntry);
            if (count > 0) {
                credit -= count;
                nextEntry += count;
                carryOut(intake.delivered(entries(nextEntry - count, nextEntry), now));
            }
        }

        private void call(long delayNanos) {
            List<EntryInHand> claimed = intake.claim(1);
            if (claimed == null) {
                ring();
                return;
            }
            EntryInHand attempt = claimed.get(0);
            attempt.called = true;
            if (attempt.id.sequence() < FAILING) {
                failed++;
                carryOut(intake.park(attempt, now + delayNanos, now));
            } else {
                worked++;
                carryOut(intake.finished(1, attempt.bytes, now));
            }
        }

        private void ring() {
            assertThat(alarmNanos - now).isBetween(0L, 1_000_000_000L);
            now = alarmNanos;
            alarmNanos = Long.MAX_VALUE;
            carryOut(intake.sweep(now));
        }

        /** What fails is due again at once. */
        void calls(int calls, boolean newOnesWait) {
            failed = 0;
            worked = 0;
            for (int i = 0; i < calls; i++) {
                deliver(newOnesWait ? Long.MAX_VALUE : 0);
                call(0);
            }
        }
    }

    private static Stream<ForwardOptions> windows() {
        return Stream.of(
                new ForwardOptions().window(1),
                new ForwardOptions().window(2),
                new ForwardOptions().window(8),
                new ForwardOptions().window(8).windowBytes(1),
                new ForwardOptions().window(8).windowBytes(250),
                new ForwardOptions().windowBytes(1_000));
    }

    /** Else one destination that fails stops all that the node still has for the others. */
    @ParameterizedTest
    @MethodSource("windows")
    void newEntriesComeHoweverManyFailAgainAtOnce(ForwardOptions options) {
        Destinations consumer = new Destinations(options);

        for (int round = 0; round < 5; round++) {
            consumer.calls(250, true);
            assertThat(consumer.now).as("nobody waits for an alarm").isEqualTo(1_000);
            assertThat(consumer.worked).as("new, in round " + round).isGreaterThan(250 / 6);
            assertThat(consumer.failed).as("due, in round " + round).isGreaterThan(250 / 6);
        }

        consumer.calls(250, false);
        assertThat(consumer.failed).as("the node has no more new ones").isGreaterThan(100);
    }

    /** The node has nothing to send for the credit that is out. */
    @ParameterizedTest
    @MethodSource("windows")
    void whatIsDueDoesNotWaitForNewEntries(ForwardOptions options) {
        Destinations consumer = new Destinations(options);

        consumer.calls(250, false);

        assertThat(consumer.failed).isEqualTo(250);
    }

    /** No credit: then none comes that it could leave its turn to. */
    @Test
    void whatIsDueGoesOnWhereTooManyWaitForNewOnes() {
        ForwardWindow intake = new ForwardWindow(
                new ForwardOptions().window(8).windowBytes(8).parkedMax(1).values());
        intake.sweep(0);
        intake.delivered(entries(0, 1), 0).workers().forEach(intake::begins);
        intake.park(intake.claim(1).get(0), 10, 0);
        intake.sweep(10);
        assertThat(intake.delivered(entries(1, 8), 10).giveBack()).hasSize(7);

        ForwardWindow.Orders orders = intake.park(intake.claim(1).get(0), 10, 10);

        assertThat(orders.credit()).isZero();
        assertThat(intake.active()).isEqualTo(1);
    }
}
