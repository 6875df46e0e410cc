package io.georep.runtime;

import static io.georep.ModelChecker.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.ModelChecker;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Reading goes on when little waits and pauses when much does, whoever overtakes whom. */
class ReadingGateModelTest {
    private static final int FRAME = 10;

    /** What the transport was told last; checks that nobody tells it two things at a time. */
    private static final class Link implements ReadingGate.Switch {
        private final AtomicInteger callers = new AtomicInteger();
        private volatile boolean reading = true;

        @Override
        public void reading(boolean on) {
            check(callers.getAndIncrement() == 0, "two calls overlap");
            check(reading != on, "a call that changes nothing");
            reading = on;
            callers.getAndDecrement();
        }
    }

    @Test
    void aDriverThatTakesEverythingIsNeverLeftDeaf() {
        ModelChecker.everySchedule(() -> {
            Link link = new Link();
            ReadingGate gate = new ReadingGate(FRAME, FRAME / 2, link);
            AtomicInteger queued = new AtomicInteger();
            Runnable driver = () -> gate.taken((long) FRAME * queued.getAndSet(0));
            Thread peer = ModelChecker.start(() -> {
                arrive(gate, queued);
                arrive(gate, queued);
            });

            driver.run();
            driver.run();
            ModelChecker.join(peer);
            driver.run();

            check(link.reading, "nothing waits and nobody reads");
        });
    }

    /** Nobody changes the count afterwards, so whoever pauses reading has to see what was taken meanwhile. */
    @Test
    void whatIsTakenWhileReadingIsBeingPausedCounts() {
        ModelChecker.everySchedule(() -> {
            Link link = new Link();
            ReadingGate gate = new ReadingGate(FRAME, FRAME / 2, link);
            Thread peer = ModelChecker.start(() -> gate.queued(2 * FRAME));

            gate.taken(2 * FRAME);
            ModelChecker.join(peer);

            check(link.reading, "nothing waits and nobody reads");
        });
    }

    @Test
    void readingIsPausedWhenTheDriverLeavesTooMuch() {
        ModelChecker.everySchedule(() -> {
            Link link = new Link();
            ReadingGate gate = new ReadingGate(FRAME, FRAME / 2, link);
            AtomicInteger queued = new AtomicInteger();
            Thread one = ModelChecker.start(() -> arrive(gate, queued));
            Thread other = ModelChecker.start(() -> arrive(gate, queued));
            arrive(gate, queued);

            gate.taken(0);
            ModelChecker.join(one);
            ModelChecker.join(other);

            check(!link.reading, "three frames wait and all peers are read");
        });
    }

    /** The store has written enough while frames come and are taken: nobody is left who would open the gate later. */
    @Test
    void aGateTheDriverLetsGoIsOpenWhateverCameMeanwhile() {
        ModelChecker.everySchedule(() -> {
            Link link = new Link();
            ReadingGate gate = new ReadingGate(FRAME, FRAME / 2, link);
            AtomicInteger queued = new AtomicInteger();
            Thread peer = ModelChecker.start(() -> {
                arrive(gate, queued);
                arrive(gate, queued);
            });

            gate.hold(true);
            gate.taken((long) FRAME * queued.getAndSet(0));
            gate.hold(false);
            ModelChecker.join(peer);
            gate.taken((long) FRAME * queued.getAndSet(0));

            check(link.reading, "nothing waits and nobody reads");
        });
    }

    @Test
    void nothingIsReadWhileTheDriverHoldsTheGate() {
        ModelChecker.everySchedule(() -> {
            Link link = new Link();
            ReadingGate gate = new ReadingGate(FRAME, FRAME / 2, link);
            AtomicInteger queued = new AtomicInteger();
            Thread peer = ModelChecker.start(() -> {
                arrive(gate, queued);
                arrive(gate, queued);
            });

            gate.hold(true);
            gate.taken((long) FRAME * queued.getAndSet(0));
            ModelChecker.join(peer);
            gate.taken((long) FRAME * queued.getAndSet(0));

            check(!link.reading, "the gate is held and peers are read");
        });
    }

    @Test
    void aSwitchThatFailedIsTriedAgain() {
        AtomicInteger calls = new AtomicInteger();
        ReadingGate gate = new ReadingGate(FRAME, FRAME / 2, on -> {
            calls.incrementAndGet();
            if (on && calls.get() == 2) {
                throw new IllegalStateException("cannot go on");
            }
        });
        gate.queued(2 * FRAME);

        try {
            gate.taken(2 * FRAME);
        } catch (IllegalStateException e) {
            gate.taken(0);
        }
        gate.taken(0);

        assertThat(calls).hasValue(3);
    }

    private static void arrive(ReadingGate gate, AtomicInteger queued) {
        queued.incrementAndGet();
        gate.queued(FRAME);
    }
}
