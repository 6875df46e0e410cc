package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedBlockingQueue;
import io.georep.spring.ReplicatedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What {@link BlockingQueue} promises holds for replicated queues, too, whatever queue is behind them. */
@Timeout(120)
class ReplicatedQueueContractTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    static class Queues {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> linked() {
            return new LinkedBlockingQueue<>(3);
        }

        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> array() {
            return new ArrayBlockingQueue<>(3);
        }

        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> deque() {
            return new LinkedBlockingDeque<>(3);
        }

        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> unbounded() {
            return new PriorityBlockingQueue<>();
        }
    }

    @FunctionalInterface
    private interface Check {
        void on(BlockingQueue<String> queue, Outbox<?> outbox) throws Exception;
    }

    @SuppressWarnings("unchecked")
    private static void with(String name, Check check) {
        TestApplication.alone()
                .withUserConfiguration(Queues.class)
                .withPropertyValues("georep.close-timeout=200ms")
                .run((ApplicationContext context) -> check.on(
                        (BlockingQueue<String>) context.getBean(name),
                        context.getBean(Outboxes.class).opened(name)));
    }

    /** Puts elements and waits until all are here. */
    private static void fill(BlockingQueue<String> queue, String... elements) throws InterruptedException {
        int before = queue.size();
        for (String element : elements) {
            queue.put(element);
        }
        Awaitility.await().atMost(SOON).until(() -> queue.size() == before + elements.length);
    }

    private static void awaitForwarded(Outbox<?> outbox, long count) {
        Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"linked", "unbounded"})
    void refusesNullWithoutUsingRoom(String name) {
        with(name, (queue, outbox) -> {
            int room = queue.remainingCapacity();

            assertThatThrownBy(() -> queue.put(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.add(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.offer(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.offer(null, 1, TimeUnit.SECONDS)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.drainTo(null)).isInstanceOf(NullPointerException.class);

            assertThat(queue.remove(null)).isFalse();
            assertThat(queue.contains(null)).isFalse();
            assertThat(queue.remainingCapacity()).isEqualTo(room);
            assertThat(outbox.statistics().acknowledged()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"linked", "array", "deque"})
    void isFullWhenItsRoomIsUsedUp(String name) {
        with(name, (queue, outbox) -> {
            fill(queue, "a", "b", "c");

            assertThat(queue.remainingCapacity()).isZero();
            assertThat(queue.offer("d")).isFalse();
            assertThat(queue.offer("d", 1, TimeUnit.MILLISECONDS)).isFalse();
            assertThatThrownBy(() -> queue.add("d")).isInstanceOf(IllegalStateException.class);
            assertThat(queue).hasSize(3).contains("a", "b", "c").doesNotContain("d");
        });
    }

    @Test
    void aProducerWaitsForRoom() {
        with("linked", (queue, outbox) -> {
            fill(queue, "a", "b", "c");
            FutureTask<Boolean> producer = started(() -> queue.offer("d", 60, TimeUnit.SECONDS));

            queue.take();
            ReplicatedBlockingQueue.of(queue).acknowledge();

            assertThat(producer.get(20, TimeUnit.SECONDS)).isTrue();
        });
    }

    @Test
    void interruptedProducersLeaveTheRoomAsItWas() {
        with("linked", (queue, outbox) -> {
            fill(queue, "a", "b", "c");

            assertInterrupted(() -> queue.offer("d", 60, TimeUnit.SECONDS));
            assertInterrupted(() -> {
                queue.put("d");
                return true;
            });

            queue.take();
            ReplicatedBlockingQueue.of(queue).acknowledge();
            awaitForwarded(outbox, 1);
            assertThat(queue.remainingCapacity()).isEqualTo(1);
        });
    }

    @Test
    void interruptedConsumersTakeNothing() {
        with("linked", (queue, outbox) -> {
            assertInterrupted(queue::take);
            assertInterrupted(() -> queue.poll(60, TimeUnit.SECONDS));

            fill(queue, "a");

            assertThat(queue.take()).isEqualTo("a");
        });
    }

    @Test
    void anUnboundedQueueIsNeverFull() {
        with("unbounded", (queue, outbox) -> {
            fill(queue, "a");

            assertThat(queue.remainingCapacity()).isEqualTo(Integer.MAX_VALUE);
        });
    }

    @Test
    void anEmptyQueueAnswersAtOnceOrInTime() {
        with("linked", (queue, outbox) -> {
            assertThat(queue.poll()).isNull();
            assertThat(queue.peek()).isNull();
            assertThat(queue.poll(1, TimeUnit.MILLISECONDS)).isNull();
            assertThat(queue.poll(-1, TimeUnit.SECONDS)).isNull();
            assertThatThrownBy(queue::remove).isInstanceOf(NoSuchElementException.class);
            assertThatThrownBy(queue::element).isInstanceOf(NoSuchElementException.class);
            assertThat(queue.drainTo(new ArrayList<>())).isZero();
            assertThat(queue).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"linked", "array", "deque", "unbounded"})
    void removesExactlyOneOfEqualElements(String name) {
        with(name, (queue, outbox) -> {
            fill(queue, "a", "a", "b");

            assertThat(queue.remove("a")).isTrue();
            assertThat(queue.remove("c")).isFalse();

            awaitForwarded(outbox, 1);
            assertThat(queue).containsExactlyInAnyOrder("a", "b");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"linked", "array", "deque", "unbounded"})
    void whatIsRemovedThroughAnIteratorCountsAsForwarded(String name) {
        with(name, (queue, outbox) -> {
            fill(queue, "a", "b", "c");

            Iterator<String> all = queue.iterator();
            assertThatThrownBy(all::remove).isInstanceOf(IllegalStateException.class);
            all.next();
            all.remove();
            assertThatThrownBy(all::remove).isInstanceOf(IllegalStateException.class);
            awaitForwarded(outbox, 1);
            assertThat(queue.removeIf("b"::equals)).isTrue();
            assertThat(queue.retainAll(List.of("c"))).isFalse();

            awaitForwarded(outbox, 2);
            assertThat(queue).containsExactly("c");
            queue.clear();
            awaitForwarded(outbox, 3);
            assertThat(queue).isEmpty();
        });
    }

    @Test
    void drainsAtMostAsManyAsWantedAndNothingForNothing() {
        with("linked", (queue, outbox) -> {
            fill(queue, "a", "b", "c");
            List<String> drained = new ArrayList<>();

            assertThat(queue.drainTo(drained, 2)).isEqualTo(2);
            assertThat(queue.drainTo(drained, 0)).isZero();
            assertThat(queue.drainTo(drained, -1)).isZero();
            assertThat(outbox.statistics().forwarded()).isZero();
            assertThat(queue.drainTo(drained)).isEqualTo(1);

            awaitForwarded(outbox, 2);
            assertThat(drained).containsExactly("a", "b", "c");
            assertThatThrownBy(() -> queue.drainTo(queue)).isInstanceOf(IllegalArgumentException.class);
        });
    }

    @Test
    void whatTheTargetOfADrainRefusesStaysInTheQueue() {
        with("linked", (queue, outbox) -> {
            fill(queue, "a", "b", "c");
            Collection<String> small = new ArrayBlockingQueue<>(1);

            assertThatThrownBy(() -> queue.drainTo(small)).isInstanceOf(IllegalStateException.class);

            Awaitility.await().atMost(SOON).until(() -> queue.size() == 2);
            assertThat(small).containsExactly("a");
            assertThat(List.of(queue.take(), queue.take())).containsExactlyInAnyOrder("b", "c");
        });
    }

    @Test
    void aWaitingConsumerGetsWhatADeadOneHadInHand() {
        with("linked", (queue, outbox) -> {
            fill(queue, "a");
            CountDownLatch took = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            FutureTask<Boolean> dying = started(() -> {
                queue.take();
                took.countDown();
                return end.await(20, TimeUnit.SECONDS);
            });
            took.await();
            FutureTask<String> waiting = started(() -> queue.poll(60, TimeUnit.SECONDS));

            end.countDown();

            assertThat(dying.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo("a");
        });
    }

    @Test
    void refusesQueuesThatCannotBeReplicated() {
        TestApplication.alone()
                .withUserConfiguration(NoRoom.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("queue 'handoff' has no room for elements"));
    }

    @Configuration(proxyBeanMethods = false)
    static class NoRoom {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> handoff() {
            return new SynchronousQueue<>();
        }
    }

    private static <V> FutureTask<V> started(Callable<V> task) {
        FutureTask<V> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "contract");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    /** The call waits, and an interrupt ends it with an {@link InterruptedException}. */
    private static void assertInterrupted(Callable<?> call) throws Exception {
        FutureTask<Boolean> future = new FutureTask<>(() -> {
            try {
                call.call();
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        Thread thread = new Thread(future, "interrupted");
        thread.start();
        Awaitility.await()
                .atMost(SOON)
                .until(() ->
                        thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
        thread.interrupt();
        assertThat(future.get(20, TimeUnit.SECONDS)).isTrue();
    }
}
