package io.georep.outbox.local;

import static io.georep.ModelChecker.check;

import io.georep.ModelChecker;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.core.messages.OutboxEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every entry delivered has a worker or goes back, whatever workers, deliveries and pauses do to each other. */
class ForwardWindowModelTest {
    private static final int WINDOW = 4;
    private static final StreamId STREAM = new StreamId(NodeId.of("a"), 1, 0);

    /** Carries orders out as a forwarding does, each worker on a thread of the scenario. */
    private static final class Workers {
        private final ForwardWindow intake;
        private final AtomicInteger finished = new AtomicInteger();
        private final AtomicInteger givenBack = new AtomicInteger();

        Workers(ForwardOptions.Values options) {
            intake = new ForwardWindow(options);
            carryOut(intake.sweep(0));
        }

        void carryOut(ForwardWindow.Orders orders) {
            givenBack.addAndGet(orders.giveBack().size());
            for (WorkerPool.Worker worker : orders.workers()) {
                if (intake.begins(worker)) {
                    work();
                }
            }
        }

        private void work() {
            for (List<EntryInHand> slice = intake.claim(2); slice != null; slice = intake.claim(2)) {
                finished.addAndGet(slice.size());
                carryOut(intake.finished(slice.size(), 0, 0));
            }
        }

        void delivered(int from, int to) {
            carryOut(intake.delivered(entries(from, to), 0));
        }

        void expectAllAccountedFor(int entries) {
            check(finished.get() + givenBack.get() == entries, finished + " finished, " + givenBack + " given back");
            check(intake.active() == 0, intake.active() + " without a worker");
        }
    }

    private static List<OutboxEvent.Delivered> entries(int from, int to) {
        List<OutboxEvent.Delivered> entries = new ArrayList<>();
        for (int number = from; number < to; number++) {
            entries.add(delivered(new EntryId(STREAM, number)));
        }
        return entries;
    }

    private static OutboxEvent.Delivered delivered(EntryId id) {
        return new OutboxEvent.Delivered(id, Slice.EMPTY, null, 0);
    }

    @Test
    void aWorkerThatLeavesMissesNoEntryThatComes() {
        ModelChecker.someSchedules(() -> {
            Workers workers = new Workers(
                    new ForwardOptions().concurrency(1).window(WINDOW).values());
            Thread first = ModelChecker.start(() -> workers.delivered(0, 1));
            Thread second = ModelChecker.start(() -> workers.delivered(1, 3));

            ModelChecker.join(first);
            ModelChecker.join(second);

            workers.expectAllAccountedFor(3);
        });
    }

    @Test
    void pausingAndGoingOnLeavesNoEntryBehind() {
        ModelChecker.someSchedules(() -> {
            Workers workers = new Workers(
                    new ForwardOptions().concurrency(2).window(WINDOW).values());
            Thread application = ModelChecker.start(() -> workers.delivered(0, 2));

            workers.carryOut(workers.intake.pause(0));
            workers.carryOut(workers.intake.resume(0));
            ModelChecker.join(application);

            workers.expectAllAccountedFor(2);
        });
    }

    @Test
    void stoppingGivesBackWhatNobodyFinished() {
        ModelChecker.someSchedules(() -> {
            Workers workers = new Workers(
                    new ForwardOptions().concurrency(1).window(WINDOW).values());
            Thread application = ModelChecker.start(() -> workers.delivered(0, 2));

            workers.carryOut(workers.intake.stop(0));
            ModelChecker.join(application);

            workers.expectAllAccountedFor(2);
        });
    }
}
