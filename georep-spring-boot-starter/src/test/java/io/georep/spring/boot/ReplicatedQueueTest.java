package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedBlockingQueue;
import io.georep.spring.ReplicatedQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ReplicatedQueueTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static ApplicationContextRunner runner() {
        return TestApplication.alone()
                .withUserConfiguration(Queues.class)
                .withPropertyValues("georep.close-timeout=200ms");
    }

    @Configuration(proxyBeanMethods = false)
    static class Queues {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<Sms> outgoing() {
            return new LinkedBlockingQueue<>(2);
        }

        @Bean
        @ReplicatedQueue(f = 0, name = "${urgent.name:urgent}")
        BlockingQueue<String> priorities() {
            return new PriorityBlockingQueue<>(11, Comparator.reverseOrder());
        }

        @Bean
        Worker worker(BlockingQueue<Sms> queue) {
            return new Worker(queue);
        }
    }

    record Worker(BlockingQueue<Sms> queue) {}

    @Test
    void forwardsAnElementWhenItsConsumerAsksForTheNext() {
        runner().run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            Outbox<?> outbox = outbox(context, "outgoing");
            queue.put(new Sms("+46", "a"));

            Sms taken = queue.take();
            long before = outbox.statistics().forwarded();
            Sms next = queue.poll();

            assertThat(taken).isEqualTo(new Sms("+46", "a"));
            assertThat(before).isZero();
            assertThat(next).isNull();
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
        });
    }

    @Test
    void forwardsAnElementThatIsAcknowledged() {
        runner().run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            queue.put(new Sms("+46", "a"));
            Sms taken = queue.take();

            boolean first = ReplicatedBlockingQueue.of(queue).acknowledge(taken);
            boolean second = ReplicatedBlockingQueue.of(queue).acknowledge(taken);

            assertThat(first).isTrue();
            assertThat(second).isFalse();
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> outbox(context, "outgoing").statistics().forwarded() == 1);
        });
    }

    @Test
    void handsOutAgainWhatIsGivenBack() {
        runner().run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            queue.put(new Sms("+46", "a"));
            Sms taken = queue.take();

            ReplicatedBlockingQueue.of(queue).giveBack(taken);

            assertThat(queue.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(taken);
        });
    }

    @Test
    void handsOutAgainWhatADeadConsumerHad() {
        runner().run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            queue.put(new Sms("+46", "a"));
            Thread consumer = new Thread(() -> {
                try {
                    queue.take();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            consumer.start();
            consumer.join();

            assertThat(queue.take()).isEqualTo(new Sms("+46", "a"));
        });
    }

    @Test
    void keepsTheBoundOfTheQueue() {
        runner().run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            queue.put(new Sms("+46", "a"));
            queue.put(new Sms("+46", "b"));

            boolean third = queue.offer(new Sms("+46", "c"));
            queue.take();
            ReplicatedBlockingQueue.of(queue).acknowledge();
            boolean fourth = queue.offer(new Sms("+46", "d"));

            assertThat(third).isFalse();
            assertThat(fourth).isTrue();
        });
    }

    @Test
    @SuppressWarnings("unchecked")
    void keepsTheOrderOfTheQueue() {
        runner().run(context -> {
            BlockingQueue<String> queue = (BlockingQueue<String>) context.getBean("priorities");
            List.of("b", "c", "a").forEach(queue::add);
            Awaitility.await().atMost(SOON).until(() -> queue.size() == 3);

            assertThat(List.of(queue.take(), queue.take(), queue.take())).containsExactly("c", "b", "a");
        });
    }

    @Test
    void bringsBackWhatWasNotForwardedBeforeARestart(@TempDir Path directory) {
        ApplicationContextRunner durable =
                runner().withPropertyValues("georep.durability=os", "georep.data-dir=" + directory);
        durable.run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            queue.put(new Sms("+46", "taken"));
            queue.put(new Sms("+46", "waiting"));
            queue.take();
        });

        durable.run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            assertThat(List.of(queue.take().text(), queue.take().text())).containsExactlyInAnyOrder("taken", "waiting");
        });
    }

    @Test
    void failsWaitingConsumersWhenItStops() {
        runner().run(context -> {
            BlockingQueue<Sms> queue = context.getBean(Worker.class).queue();
            context.getBean(GeoRepNode.class).close();

            assertThatThrownBy(queue::take).isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> queue.put(new Sms("+46", "x"))).isInstanceOf(ClosedException.class);
        });
    }

    private static Outbox<?> outbox(ApplicationContext context, String name) {
        return context.getBean(Outboxes.class).opened(name);
    }
}
