package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedBlockingQueue;
import io.georep.spring.ReplicatedQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Queues whose node has ended, and callbacks that would wait for themselves. */
class QueueFaultTest {
    @Configuration(proxyBeanMethods = false)
    static class Queues {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> queue() {
            return new LinkedBlockingQueue<>(2);
        }
    }

    @Test
    void consumersDoNotWaitForANodeThatEnded() {
        TestApplication.alone().withUserConfiguration(Queues.class).run(context -> {
            BlockingQueue<String> queue = queue(context);
            CompletableFuture<String> taken = CompletableFuture.supplyAsync(() -> {
                try {
                    return queue.take();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });

            context.getBean(GeoRepNode.class).halt();

            assertThatThrownBy(() -> taken.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(ClosedException.class);
        });
    }

    /** Nobody will take an element out any more. */
    @Test
    void producersDoNotWaitForANodeThatEnded() {
        TestApplication.alone().withUserConfiguration(Queues.class).run(context -> {
            BlockingQueue<String> queue = queue(context);
            queue.put("first");
            queue.put("second");
            CompletableFuture<Void> put = CompletableFuture.runAsync(() -> {
                try {
                    queue.put("third");
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });

            context.getBean(GeoRepNode.class).halt();

            assertThatThrownBy(() -> put.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(ClosedException.class);
        });
    }

    @Test
    void anyPatienceIsAllowed() {
        TestApplication.alone().run(context -> {
            Outbox<String> outbox = context.getBean(Outboxes.class).outbox("patient", String.class);

            assertThat(outbox.sendAndWait("x", Duration.ofSeconds(Long.MAX_VALUE)))
                    .isNotNull();
        });
    }

    @Test
    void callbacksThatWouldWaitForThemselvesAreRefusedByName() {
        TestApplication.alone().withUserConfiguration(Queues.class).run(context -> {
            BlockingQueue<String> queue = queue(context);
            Outbox<String> advised = context.getBean(Outboxes.class).outbox("advised", String.class);

            assertThat(refusal(context, () -> queue.put("x"))).contains("put", "application thread");
            assertThat(refusal(context, () -> queue.offer("x"))).contains("offer");
            assertThat(refusal(context, () -> queue.offer("x", 1, TimeUnit.SECONDS)))
                    .contains("offer");
            assertThat(refusal(context, queue::take)).contains("take");
            assertThat(refusal(context, () -> queue.poll(1, TimeUnit.SECONDS))).contains("poll");
            assertThat(refusal(context, () -> advised.sendAndWait("x", Duration.ofSeconds(1))))
                    .contains("sendAndWait");
            assertThat(refusal(context, queue::poll)).isEqualTo("none");
            assertThat(queue).isEmpty();
        });
    }

    private interface Call {
        void run() throws Exception;
    }

    private static String refusal(ApplicationContext context, Call call) throws Exception {
        CompletableFuture<String> result = new CompletableFuture<>();
        GeoRepNode node = context.getBean(GeoRepNode.class);
        Outbox<String> probe = node.outbox("probe-" + System.nanoTime(), String.class, options -> options.f(0));
        probe.forward(
                delivery -> {
                    try {
                        call.run();
                        result.complete("none");
                    } catch (IllegalStateException e) {
                        result.complete(e.getMessage());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                },
                options -> options.executor(Runnable::run));
        probe.sendAll(List.of("go"));
        return result.get(20, TimeUnit.SECONDS);
    }

    @SuppressWarnings("unchecked")
    private static BlockingQueue<String> queue(ApplicationContext context) {
        return (BlockingQueue<String>) context.getBean("queue");
    }

    /** Small numbers are the same object each time they arrive. */
    @Configuration(proxyBeanMethods = false)
    static class Choosy {
        final AtomicInteger comparisons = new AtomicInteger();

        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<Integer> numbers() {
            return new PriorityBlockingQueue<>(11, (one, other) -> {
                if (comparisons.getAndIncrement() < 2) {
                    throw new IllegalStateException("cannot be compared now");
                }
                return one.compareTo(other);
            });
        }
    }

    /** What the queue threw at is not in it: its end is not the end of the same element that came again. */
    @Test
    void anElementThatTheQueueRefusedAtFirstIsForwarded() {
        TestApplication.alone().withUserConfiguration(Choosy.class).run(context -> {
            @SuppressWarnings("unchecked")
            BlockingQueue<Integer> queue = context.getBean("numbers", BlockingQueue.class);
            queue.put(1);
            queue.put(2);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> context.getBean(Choosy.class).comparisons.get() > 2);
            assertThat(queue.take()).isEqualTo(1);
            assertThat(queue.take()).isEqualTo(2);
            ReplicatedBlockingQueue.of(queue).acknowledge();

            Outbox<Integer> outbox = context.getBean(Outboxes.class).outbox("numbers", Integer.class);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> outbox.statistics().forwarded() == 2);
        });
    }
}
