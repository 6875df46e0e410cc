package io.georep.store.rocksdb;

import static io.georep.ModelChecker.check;

import io.georep.ModelChecker;
import io.georep.store.rocksdb.WorkQueue.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The store's thread finds all work in order and sleeps only when there is none, under every schedule looked at. */
class WorkQueueModelTest {
    private static final class Numbered extends Work {
        final int number;

        Numbered(int number) {
            this.number = number;
        }
    }

    /** Its consumer sleeps as the model checker understands it. */
    private static final class BlockingQueue extends WorkQueue {
        private final ModelChecker.Sleep sleep = new ModelChecker.Sleep();

        @Override
        void sleep(long nanosMax) {
            sleep.untilWoken();
        }

        @Override
        void wake(Thread sleeper) {
            sleep.wake(sleeper);
        }
    }

    @Test
    void everythingIsFoundInOrderByAConsumerThatSleepsBetween() {
        ModelChecker.everySchedule(() -> {
            WorkQueue queue = new BlockingQueue();
            Thread one = ModelChecker.start(() -> {
                queue.push(new Numbered(11));
                queue.push(new Numbered(12));
            });
            Thread other = ModelChecker.start(() -> queue.push(new Numbered(21)));

            List<Integer> found = new ArrayList<>();
            while (found.size() < 3) {
                Work first = queue.drain();
                if (first == null) {
                    queue.await(Long.MAX_VALUE);
                }
                for (Work work = first; work != null; work = work.next) {
                    found.add(((Numbered) work).number);
                }
            }

            ModelChecker.join(one);
            ModelChecker.join(other);
            check(found.size() == 3 && found.containsAll(List.of(11, 12, 21)), found);
            check(found.indexOf(11) < found.indexOf(12), found);
        });
    }
}
