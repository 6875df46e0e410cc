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

        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("later");
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
        EventDispatcher.Receiver idle = new EventDispatcher.Receiver() {
            @Override
            public void events(List<Object> events) {}

            @Override
            public void time(long nowNanos) {}

            @Override
            public long nextDeadlineNanos() {
                return Long.MAX_VALUE;
            }
        };
        AtomicReference<Thread> thread = new AtomicReference<>();
        EventDispatcher counted = new EventDispatcher("counted", Ticker.system(), idle, new HandOff<>() {
            @Override
            void sleep(long nanos) {
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
