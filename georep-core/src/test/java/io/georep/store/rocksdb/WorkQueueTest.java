package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.store.rocksdb.WorkQueue.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WorkQueueTest {
    private static final class Numbered extends Work {
        final int producer;
        final int number;

        Numbered(int producer, int number) {
            this.producer = producer;
            this.number = number;
        }
    }

    private final WorkQueue queue = new WorkQueue();

    @Test
    void drainsEverythingInTheOrderItWasPushed() {
        for (int i = 0; i < 5; i++) {
            queue.push(new Numbered(0, i));
        }

        assertThat(drained()).extracting(work -> work.number).containsExactly(0, 1, 2, 3, 4);
        assertThat(queue.drain()).isNull();
    }

    @Test
    void doesNotSleepWhenThereIsWork() {
        queue.push(new Numbered(0, 1));

        queue.await(TimeUnit.HOURS.toNanos(1));

        assertThat(drained()).hasSize(1);
    }

    /** An interrupt that stays makes every later sleep return at once. */
    @Test
    void sleepsAgainAfterAnInterrupt() {
        Thread.currentThread().interrupt();

        queue.await(TimeUnit.HOURS.toNanos(1));

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void handsOverEverythingInOrderAndWakesTheConsumer() throws Exception {
        int producers = 3;
        int each = 20_000;
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int producer = p;
            threads.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    queue.push(new Numbered(producer, i));
                    if (i % 100 == 0) {
                        Thread.yield();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);

        int[] next = new int[producers];
        int received = 0;
        while (received < producers * each) {
            List<Numbered> works = drained();
            if (works.isEmpty()) {
                queue.await(TimeUnit.SECONDS.toNanos(30));
            }
            for (Numbered work : works) {
                assertThat(work.number).isEqualTo(next[work.producer]++);
                received++;
            }
        }

        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(queue.drain()).isNull();
    }

    private List<Numbered> drained() {
        List<Numbered> works = new ArrayList<>();
        for (Work work = queue.drain(); work != null; work = work.next) {
            works.add((Numbered) work);
        }
        return works;
    }
}
