package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spi.Ticker;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The application thread outlives whatever callbacks throw. */
@Timeout(60)
class EventDispatcherTest {
    private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
    private volatile boolean clockBroken;

    private final EventDispatcher dispatcher =
            new EventDispatcher("dispatcher-under-test", Ticker.system(), new EventDispatcher.Receiver() {
                @Override
                public void events(List<Object> events) {
                    for (Object event : events) {
                        if (event instanceof Error error) {
                            throw error;
                        }
                        seen.add(event);
                    }
                }

                @Override
                public void failed(Throwable error) {
                    seen.add("failed");
                }

                @Override
                public void time(long nowNanos) {}

                @Override
                public long nextDeadlineNanos() {
                    if (clockBroken) {
                        clockBroken = false;
                        throw new Unprintable();
                    }
                    return Long.MAX_VALUE;
                }
            });

    private static final EventDispatcher.Receiver IDLE = new EventDispatcher.Receiver() {
        @Override
        public void events(List<Object> events) {}

        @Override
        public void time(long nowNanos) {}

        @Override
        public long nextDeadlineNanos() {
            return Long.MAX_VALUE;
        }
    };

    @AfterEach
    void stop() {
        dispatcher.stop(1);
    }

    @Test
    void goesOnAfterAnErrorThatCannotBeLogged() throws Exception {
        dispatcher.start();

        dispatcher.accept(List.of(new Unprintable()));
        dispatcher.execute(() -> {
            throw new Unprintable();
        });
        dispatcher.accept(List.of("later"));

        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("failed");
        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("failed");
        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("later");
    }

    /** Memory may be at its end between two callbacks, too. */
    @Test
    void goesOnAfterAnErrorOfItsOwn() throws Exception {
        AtomicInteger failures = new AtomicInteger(3);
        EventDispatcher starved = new EventDispatcher("short-of-memory", Ticker.system(), IDLE, new HandOff<>() {
            @Override
            int drainTo(List<? super Object> into, int max) {
                int count = super.drainTo(into, max);
                if (count > 0 && failures.getAndDecrement() > 0) {
                    throw new Unprintable();
                }
                return count;
            }
        });
        starved.execute(() -> seen.add("first"));
        starved.start();
        for (int i = 2; i <= 4; i++) {
            assertThat(seen.poll(20, TimeUnit.SECONDS)).isNotNull();
            int number = i;
            starved.execute(() -> seen.add(number));
        }
        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo(4);

        CountDownLatch stopped = new CountDownLatch(1);
        starved.execute(() -> {
            starved.stop(0);
            starved.execute(() -> seen.add("last"));
            failures.set(1);
            stopped.countDown();
        });
        assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(seen.poll(20, TimeUnit.SECONDS)).as("also while it ends").isEqualTo("last");
    }

    @Test
    void anInterruptionDoesNotReachTheNextCallback() throws Exception {
        dispatcher.execute(() -> Thread.currentThread().interrupt());
        dispatcher.execute(() -> seen.add(Thread.currentThread().isInterrupted()));
        dispatcher.start();

        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo(false);
    }

    /** It sleeps after at most one look in vain. */
    @Test
    void anInterruptionDoesNotKeepItAwake() {
        AtomicInteger sleeps = new AtomicInteger();
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger sleepsBefore = new AtomicInteger();
        AtomicReference<Thread> thread = new AtomicReference<>();
        EventDispatcher counted = new EventDispatcher("counted", Ticker.system(), IDLE, new HandOff<>() {
            @Override
            protected void sleep(long nanos) {
                sleeps.incrementAndGet();
                super.sleep(nanos);
            }
        });
        counted.start();
        counted.execute(() -> {
            thread.set(Thread.currentThread());
            sleepsBefore.set(sleeps.get());
            Thread.currentThread().interrupt();
            interrupted.countDown();
        });

        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> interrupted.getCount() == 0
                        && sleeps.get() > sleepsBefore.get()
                        && thread.get().getState() == Thread.State.TIMED_WAITING);
        assertThat(sleeps.get() - sleepsBefore.get()).isLessThanOrEqualTo(2);
        counted.stop(1);
    }

    @Test
    void goesOnWhenTheReceiverCannotSayWhenItWantsToBeWoken() throws Exception {
        clockBroken = true;
        dispatcher.start();

        dispatcher.accept(List.of("first"));

        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("first");
        dispatcher.accept(List.of("second"));
        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("second");
    }
}
