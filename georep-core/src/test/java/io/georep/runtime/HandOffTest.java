package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HandOffTest {

    @Test
    void keepsTheOrderOfOneThread() {
        HandOff<Integer> handOff = new HandOff<>();
        List<Integer> taken = new ArrayList<>();
        handOff.offer(1);
        handOff.offer(2);
        handOff.offer(3);

        int first = handOff.drainTo(taken, 2);
        handOff.offer(4);
        int second = handOff.drainTo(taken, 10);

        assertThat(taken).containsExactly(1, 2, 3, 4);
        assertThat(first).isEqualTo(2);
        assertThat(second).isEqualTo(2);
        assertThat(handOff.isEmpty()).isTrue();
    }

    @Test
    void refusesWhatComesAfterClosingAndKeepsWhatWasLeft() {
        HandOff<Integer> handOff = new HandOff<>();
        List<Integer> rest = new ArrayList<>();
        handOff.offer(1);
        handOff.offer(2);
        handOff.offer(3);
        handOff.drainTo(new ArrayList<>(), 1);

        handOff.offer(4);
        handOff.close();

        assertThat(handOff.offer(5)).isFalse();
        handOff.drainTo(rest, 10);
        assertThat(rest).containsExactly(2, 3, 4);
        assertThat(handOff.drainTo(rest, 10)).isZero();
    }

    /** An interrupt that stays makes every later sleep return at once. */
    @Test
    @Timeout(60)
    void anInterruptEndsOneSleepAndNoOther() {
        Thread.currentThread().interrupt();

        new HandOff<Integer>().await(TimeUnit.HOURS.toNanos(1));

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Timeout(60)
    void awaitDoesNotSleepWhenSomethingIsThere() {
        HandOff<Integer> handOff = new HandOff<>();
        handOff.offer(1);

        handOff.await(TimeUnit.HOURS.toNanos(1));

        assertThat(handOff.isEmpty()).isFalse();
    }

    @Test
    void theFirstItemOfferedToASleeperWakesIt() {
        List<Thread> woken = new ArrayList<>();
        HandOff<Integer> handOff = new HandOff<>() {
            @Override
            protected void sleep(long nanos) {
                offer(1);
                offer(2);
            }

            @Override
            protected void wake(Thread sleeper) {
                woken.add(sleeper);
            }
        };

        handOff.await(TimeUnit.HOURS.toNanos(1));
        handOff.offer(3);

        assertThat(woken).containsExactly(Thread.currentThread());
    }

    /** A lost wake-up would let the consumer sleep for an hour and the test run into its time-out. */
    @Test
    void losesNothingAndNoWakeUpUnderManyThreads() throws Exception {
        int producers = 4;
        int each = 200_000;
        HandOff<long[]> handOff = new HandOff<>();
        long[] next = new long[producers];
        CountDownLatch done = new CountDownLatch(1);
        Thread consumer = new Thread(() -> {
            List<long[]> taken = new ArrayList<>();
            long count = 0;
            while (count < (long) producers * each) {
                if (handOff.drainTo(taken, 100) == 0) {
                    handOff.await(TimeUnit.HOURS.toNanos(1));
                }
                for (long[] item : taken) {
                    if (item[1] != next[(int) item[0]]++) {
                        return;
                    }
                }
                count += taken.size();
                taken.clear();
            }
            done.countDown();
        });
        consumer.setDaemon(true);
        consumer.start();

        for (int producer = 0; producer < producers; producer++) {
            int number = producer;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    handOff.offer(new long[] {number, i});
                    if (i % 1000 == 0) {
                        Thread.yield();
                    }
                }
            });
            thread.start();
        }

        assertThat(done.await(50, TimeUnit.SECONDS)).isTrue();
    }

    /** One at a time, so that the consumer parks between all of them. */
    @Test
    void wakesAConsumerThatParksEachTime() throws Exception {
        HandOff<Integer> there = new HandOff<>();
        HandOff<Integer> back = new HandOff<>();
        int rounds = 5_000;
        Thread echo = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                back.offer(take(there));
            }
        });
        echo.setDaemon(true);
        echo.start();

        for (int i = 0; i < rounds; i++) {
            there.offer(i);
            assertThat(take(back)).isEqualTo(i);
        }
    }

    private static int take(HandOff<Integer> handOff) {
        List<Integer> taken = new ArrayList<>();
        while (handOff.drainTo(taken, 1) == 0) {
            handOff.await(TimeUnit.HOURS.toNanos(1));
        }
        return taken.get(0);
    }
}
