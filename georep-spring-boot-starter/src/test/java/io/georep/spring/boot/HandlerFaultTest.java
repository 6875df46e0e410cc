package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.OutboxRetry;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/** Handlers, error handlers and exceptions that misbehave: nothing of it may hold up an entry for ever. */
class HandlerFaultTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Fails, and then fails to say why. */
    static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message for you");
        }
    }

    @Test
    void anErrorHandlerThatAnswersNullMeansRetry() {
        TestApplication.alone()
                .withBean("nobody", OutboxErrorHandler.class, () -> (delivery, error) -> null)
                .withBean(Later.class)
                .run(context -> {
                    Later later = context.getBean(Later.class);
                    outbox(context, "later").sendAndWait("x", SOON);

                    assertThat(later.attempt(new IllegalStateException("with a message")))
                            .isEqualTo(1);
                    assertThat(later.attempt(new Mute())).isEqualTo(2);
                    assertThat(later.attempt(null)).isEqualTo(3);
                });
    }

    @Test
    void anExceptionThatCannotSayWhyIsADeadLetterAllTheSame() {
        TestApplication.alone()
                .withBean(
                        "nobody",
                        OutboxErrorHandler.class,
                        () -> (delivery, error) -> OutboxErrorHandler.Decision.DEAD_LETTER)
                .withBean(Later.class)
                .withBean(Now.class)
                .run(context -> {
                    for (String queue : List.of("later", "now")) {
                        outbox(context, queue).sendAndWait("x", SOON);
                        if (queue.equals("later")) {
                            assertThat(context.getBean(Later.class).attempt(new Mute()))
                                    .isEqualTo(1);
                        }
                        Awaitility.await()
                                .atMost(SOON)
                                .until(() -> outbox(context, queue).statistics().deadLettered() == 1);
                    }
                });
    }

    /** Its database is away, as is the listener's: the log must not fill the disk meanwhile. */
    @Test
    void anErrorHandlerThatAlwaysThrowsIsToldAFewTimesAMinute() {
        CountDownLatch asked = new CountDownLatch(100);
        OutboxErrorHandler broken = (delivery, error) -> {
            asked.countDown();
            throw new IllegalStateException("database is away");
        };
        try (CapturedChanges log = new CapturedChanges("io.georep.spring.listener.ListenerCalls")) {
            TestApplication.alone()
                    .withBean("nobody", OutboxErrorHandler.class, () -> broken)
                    .withBean(Now.class)
                    .withPropertyValues(
                            "georep.outboxes.now.retry.delay-min=1ms", "georep.outboxes.now.retry.delay-max=1ms")
                    .run(context -> {
                        outbox(context, "now").sendAndWait("x", SOON);
                        assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
                    });

            assertThat(log.texts(Level.WARN)).hasSizeBetween(1, 30);
        }
    }

    /** Who lets the entry end with a stage has said all: nobody else is asked about its failure. */
    @Test
    void anEntryThatAListenerEndsWithAStageEndsWithThatAndNoErrorHandlerIsAsked() {
        List<Throwable> asked = new CopyOnWriteArrayList<>();
        OutboxErrorHandler discards = (delivery, error) -> {
            asked.add(error);
            return OutboxErrorHandler.Decision.DISCARD;
        };
        TestApplication.alone()
                .withBean("nobody", OutboxErrorHandler.class, () -> discards)
                .withBean(Ending.class)
                .run(context -> {
                    Ending ending = context.getBean(Ending.class);
                    outbox(context, "ending").sendAndWait("x", SOON);

                    assertThat(ending.attempt(new IllegalStateException("refused")))
                            .isEqualTo(1);
                    assertThat(ending.attempt(null)).isEqualTo(2);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> outbox(context, "ending").statistics().forwarded() == 1);
                    assertThat(asked).isEmpty();
                });
    }

    static class Ending extends Stages {
        @OutboxListener(value = "ending", errorHandler = "nobody", retry = @OutboxRetry(delayMin = "10ms"))
        void forward(Delivery<String> delivery) {
            delivery.endsWith(begun(delivery));
        }
    }

    static class Later extends Stages {
        @OutboxListener(value = "later", errorHandler = "nobody", retry = @OutboxRetry(delayMin = "10ms"))
        CompletionStage<Void> forward(Delivery<String> delivery) {
            return begun(delivery);
        }
    }

    static class Stages {
        private final BlockingQueue<CompletableFuture<Void>> ends = new LinkedBlockingQueue<>();
        private final BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();

        CompletableFuture<Void> begun(Delivery<String> delivery) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            attempts.add(delivery.attempt());
            ends.add(end);
            return end;
        }

        int attempt(RuntimeException error) throws InterruptedException {
            Integer attempt = attempts.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            CompletableFuture<Void> end = ends.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            if (attempt == null || end == null) {
                return 0;
            }
            if (error == null) {
                end.complete(null);
            } else {
                end.completeExceptionally(error);
            }
            return attempt;
        }
    }

    static class Now {
        @OutboxListener(value = "now", errorHandler = "nobody")
        void forward(Delivery<String> delivery) {
            throw new Mute();
        }
    }

    @Test
    void aCallThatWasInterruptedDoesNotInterruptTheNext() {
        TestApplication.alone().withBean(Interrupted.class).run(context -> {
            Outbox<String> outbox = outbox(context, "interrupted");
            OutboxListeners.Container container =
                    context.getBean(OutboxListeners.class).byId("interrupted");
            outbox.sendAll(List.of("a", "b", "c", "d"))
                    .forEach(stage -> stage.toCompletableFuture().join());

            container.start();
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 4);

            assertThat(context.getBean(Interrupted.class).flags).containsExactly(false, false, false, false);
        });
    }

    static class Interrupted {
        private final BlockingQueue<Boolean> flags = new LinkedBlockingQueue<>();

        @OutboxListener(value = "interrupted", autoStartup = "false")
        void forward(String payload) {
            flags.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whatNobodyAcknowledgedComesAgainAfterStopAndStart() {
        TestApplication.alone().withBean(Manual.class).run(context -> {
            Outbox<String> outbox = outbox(context, "manual");
            OutboxListeners.Container container =
                    context.getBean(OutboxListeners.class).byId("manual");
            BlockingQueue<Acknowledgement> seen = context.getBean(Manual.class).seen;
            outbox.sendAndWait("x", SOON);
            Acknowledgement first = seen.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(first).isNotNull();

            boolean ended = container.stop(Duration.ZERO);
            container.start();

            Acknowledgement second = seen.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(ended).isFalse();
            assertThat(second).as("delivered again").isNotNull();
            second.acknowledge();
            first.acknowledge();
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
            assertThat(container.stop(SOON)).isTrue();
            assertThat(outbox.statistics().failedAttempts()).isZero();
        });
    }

    @Test
    void aListenerThatIsPausedStaysSoAfterARestart() {
        TestApplication.alone().withBean(Manual.class).run(context -> {
            OutboxListeners.Container container =
                    context.getBean(OutboxListeners.class).byId("manual");
            container.pause();
            container.stop(SOON);
            container.start();

            assertThat(container.paused()).isTrue();

            container.resume();
            assertThat(container.paused()).isFalse();
        });
    }

    @Test
    void aSecondStopTellsWhetherCallsAreStillAtWork() {
        TestApplication.alone().withBean(Slow.class).run(context -> {
            Outbox<String> outbox = outbox(context, "slow");
            OutboxListeners.Container container =
                    context.getBean(OutboxListeners.class).byId("slow");
            Slow slow = context.getBean(Slow.class);
            outbox.sendAndWait("x", SOON);
            assertThat(slow.begun.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isNotNull();

            assertThat(container.stop(Duration.ZERO)).isFalse();
            assertThat(container.stop(Duration.ZERO)).isFalse();
            slow.end.complete(null);

            assertThat(container.stop(SOON)).isTrue();
        });
    }

    static class Slow {
        private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        @OutboxListener("slow")
        void forward(String payload) {
            begun.add(payload);
            end.join();
        }
    }

    static class Manual {
        private final BlockingQueue<Acknowledgement> seen = new LinkedBlockingQueue<>();

        @OutboxListener(value = "manual", ackMode = AckMode.MANUAL)
        void forward(String payload, Acknowledgement acknowledgement) {
            seen.add(acknowledgement);
        }
    }

    private static Outbox<String> outbox(ApplicationContext context, String name) {
        return context.getBean(Outboxes.class).outbox(name, String.class);
    }
}
