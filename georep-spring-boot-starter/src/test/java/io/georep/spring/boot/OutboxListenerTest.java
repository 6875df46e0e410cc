package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.EntryHeader;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.OutboxRetry;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

class OutboxListenerTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void passesHeadersAndIds() {
        TestApplication.alone().withBean(Headers.class).run(context -> {
            Outbox<String> outbox = outbox(context, "headers");

            EntryId id = outbox.send("x", SendOptions.defaults().header("tenant", "a"))
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);

            Object[] seen = take(context.getBean(Headers.class).seen);
            assertThat(seen).containsExactly("x", id, "a", Optional.empty(), Map.of("tenant", "a"));
        });
    }

    static class Headers {
        final BlockingQueue<Object[]> seen = new LinkedBlockingQueue<>();

        @OutboxListener("headers")
        void forward(
                String payload,
                EntryId id,
                @EntryHeader String tenant,
                @EntryHeader("missing") Optional<String> missing,
                @EntryHeader Map<String, String> all) {
            seen.add(new Object[] {payload, id, tenant, missing, all});
        }
    }

    @Test
    void keepsAnEntryUntilItIsAcknowledged() {
        TestApplication.alone().withBean(Manual.class).run(context -> {
            Outbox<String> outbox = outbox(context, "manual");
            outbox.sendAndWait("x", SOON);
            Acknowledgement first = take(context.getBean(Manual.class).acknowledgements);
            assertThat(outbox.statistics().forwarded()).isZero();

            first.fail(new IllegalStateException("not now"));
            Acknowledgement second = take(context.getBean(Manual.class).acknowledgements);
            second.acknowledge();

            assertThat(second.ended()).isTrue();
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
        });
    }

    static class Manual {
        final BlockingQueue<Acknowledgement> acknowledgements = new LinkedBlockingQueue<>();

        @OutboxListener(value = "manual", ackMode = AckMode.MANUAL, retry = @OutboxRetry(delayMin = "10ms"))
        void forward(String payload, Acknowledgement acknowledgement) {
            acknowledgements.add(acknowledgement);
        }
    }

    @Test
    void handsOverBatches() {
        TestApplication.alone().withBean(Batches.class).run(context -> {
            Outbox<String> outbox = outbox(context, "batches");
            outbox.sendAll(List.of("a", "b", "c", "d", "e"))
                    .forEach(stage -> stage.toCompletableFuture().join());

            BlockingQueue<List<Delivery<String>>> seen = context.getBean(Batches.class).seen;
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 5);

            assertThat(seen).allSatisfy(batch -> assertThat(batch).hasSizeBetween(1, 2));
            assertThat(seen.stream().flatMap(List::stream).map(Delivery::payload))
                    .containsExactlyInAnyOrder("a", "b", "c", "d", "e");
        });
    }

    static class Batches {
        final BlockingQueue<List<Delivery<String>>> seen = new LinkedBlockingQueue<>();

        @OutboxListener(queue = "batches", batch = true, batchMax = "${max:2}")
        void forward(List<Delivery<String>> batch) {
            seen.add(batch);
        }
    }

    @Test
    void asksTheErrorHandler() {
        TestApplication.alone()
                .withBean(Failing.class)
                .withBean(
                        "verdict",
                        OutboxErrorHandler.class,
                        () -> (delivery, error) -> switch (delivery.payload().toString()) {
                            case "discard" -> OutboxErrorHandler.Decision.DISCARD;
                            case "dead" -> OutboxErrorHandler.Decision.DEAD_LETTER;
                            default -> OutboxErrorHandler.Decision.RETRY;
                        })
                .run(context -> {
                    Outbox<String> outbox = outbox(context, "failing");
                    outbox.sendAndWait("discard", SOON);
                    outbox.sendAndWait("dead", SOON);
                    outbox.sendAndWait("retry", SOON);

                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox.statistics().deadLettered() == 2);

                    List<DeadLetter<String>> letters = outbox.deadLetters()
                            .list(null, 10)
                            .toCompletableFuture()
                            .join()
                            .letters();
                    assertThat(letters).extracting(DeadLetter::payload).containsExactlyInAnyOrder("dead", "retry");
                    assertThat(outbox.statistics().forwarded()).isEqualTo(1);
                });
    }

    static class Failing {
        @OutboxListener(
                value = "failing",
                errorHandler = "verdict",
                retry = @OutboxRetry(delayMin = "10ms", attempts = "3"))
        void forward(String payload) {
            throw new IllegalStateException(payload);
        }
    }

    @Test
    void waitsForAStage() {
        TestApplication.alone().withBean(Later.class).run(context -> {
            Outbox<String> outbox = outbox(context, "later");
            outbox.sendAndWait("x", SOON);
            CompletableFuture<String> answer = take(context.getBean(Later.class).answers);
            assertThat(outbox.statistics().forwarded()).isZero();

            answer.complete("done");

            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
        });
    }

    static class Later {
        final BlockingQueue<CompletableFuture<String>> answers = new LinkedBlockingQueue<>();

        @OutboxListener("later")
        CompletionStage<String> forward(String payload) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        }
    }

    @Test
    void startsOnlyWhenTold() {
        TestApplication.alone()
                .withBean(Headers.class)
                .withPropertyValues("georep.outboxes.headers.auto-startup=false")
                .run(context -> {
                    OutboxListeners.Container listener =
                            context.getBean(OutboxListeners.class).byId("headers");
                    assertThat(listener).isNotNull();
                    assertThat(listener.running()).isFalse();

                    listener.start();

                    assertThat(listener.running()).isTrue();
                    assertThat(listener.stop(SOON)).isTrue();
                    assertThat(listener.running()).isFalse();
                });
    }

    private static Outbox<String> outbox(ApplicationContext context, String name) {
        return context.getBean(Outboxes.class).outbox(name, String.class);
    }

    private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(taken).isNotNull();
        return taken;
    }
}
