package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.OutboxRetry;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What becomes of each entry of a batch. */
class BatchListenerTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Payloads whose failure the error handler was asked about. */
    private final List<Object> asked = new CopyOnWriteArrayList<>();

    private ApplicationContextRunner runner(Class<?> listener) {
        return TestApplication.alone()
                .withBean(listener)
                .withBean("verdict", OutboxErrorHandler.class, () -> this::decide)
                .withPropertyValues("georep.listener.auto-startup=false", "georep.close-timeout=200ms");
    }

    private OutboxErrorHandler.Decision decide(Delivery<?> delivery, Throwable error) {
        asked.add(delivery.payload());
        return delivery.payload().equals("unwanted")
                ? OutboxErrorHandler.Decision.DISCARD
                : OutboxErrorHandler.Decision.RETRY;
    }

    /** Sends while no listener runs, so that it gets one batch. */
    private static Outbox<String> sent(ApplicationContext context, String... payloads) {
        Outbox<String> outbox = context.getBean(Outboxes.class).outbox("batch", String.class);
        outbox.sendAll(List.of(payloads))
                .forEach(stage -> stage.toCompletableFuture().join());
        context.getBean(OutboxListeners.class).byId("batch").start();
        return outbox;
    }

    @Test
    void retriesOnlyTheEntriesThatAreNamed() {
        runner(Naming.class).run(context -> {
            Outbox<String> outbox = sent(context, "a", "bad", "unwanted", "b");

            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 4);

            assertThat(context.getBean(Naming.class).calls)
                    .containsExactly(Set.of("a", "bad", "unwanted", "b"), Set.of("bad"));
            assertThat(asked).containsExactlyInAnyOrder("bad", "unwanted");
        });
    }

    static class Naming {
        final List<Set<String>> calls = new CopyOnWriteArrayList<>();

        @OutboxListener(
                value = "batch",
                batch = true,
                errorHandler = "verdict",
                retry = @OutboxRetry(delayMin = "1ms", delayMax = "1ms"))
        void forward(List<String> payloads, List<EntryId> ids) {
            calls.add(Set.copyOf(payloads));
            if (payloads.size() > 1) {
                throw new BatchFailedException(Map.of(
                        ids.get(payloads.indexOf("bad")), new IOException("busy"),
                        ids.get(payloads.indexOf("unwanted")), new IOException("gone")));
            }
        }
    }

    @Test
    void asksTheErrorHandlerOnlyAboutEntriesThatFailedForThemselves() {
        runner(Poisoned.class).run(context -> {
            Outbox<String> outbox = sent(context, "a", "poison", "b");

            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 2);
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().deadLettered() == 1);

            assertThat(outbox.deadLetters()
                            .list(null, 10)
                            .toCompletableFuture()
                            .join()
                            .letters())
                    .extracting(DeadLetter::payload)
                    .containsExactly("poison");
            assertThat(asked).containsExactly("poison");
        });
    }

    static class Poisoned {
        @OutboxListener(
                value = "batch",
                batch = true,
                errorHandler = "verdict",
                retry = @OutboxRetry(delayMin = "1ms", delayMax = "1ms", attempts = "1"))
        void forward(List<String> payloads) {
            if (payloads.contains("poison")) {
                throw new IllegalStateException("cannot read this");
            }
        }
    }

    @Test
    void endsEachEntryWithItsAcknowledgement() {
        runner(Manual.class).run(context -> {
            Outbox<String> outbox = sent(context, "a", "b", "c");
            BlockingQueue<Call> calls = context.getBean(Manual.class).calls;
            Call first = take(calls);
            assertThat(first.payloads()).containsExactlyInAnyOrder("a", "b", "c");

            first.each().get(0).acknowledge();
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
            first.each().get(1).fail(new IOException("not now"));
            Call second = take(calls);
            assertThat(second.payloads()).containsExactly(first.payloads().get(1));
            second.all().acknowledge();
            first.all().acknowledge();

            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 3);
            assertThat(first.all().ended()).isTrue();
            assertThat(asked).containsExactly(first.payloads().get(1));
        });
    }

    @Test
    void handsOverOneByOneWhatFailedAsAWhole() {
        runner(Manual.class).run(context -> {
            Outbox<String> outbox = sent(context, "a", "b", "c");
            BlockingQueue<Call> calls = context.getBean(Manual.class).calls;

            take(calls).all().fail(new IOException("connection lost"));

            for (int i = 0; i < 3; i++) {
                Call alone = take(calls);
                assertThat(alone.payloads()).hasSize(1);
                alone.all().acknowledge();
            }
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 3);
            assertThat(asked).isEmpty();
        });
    }

    /** What it says of another entry is not said of this one. */
    @Test
    void anEntryThatFailedByItsOwnAcknowledgementIsRetriedWhateverTheErrorNames() {
        runner(Manual.class).run(context -> {
            Outbox<String> outbox = sent(context, "a", "b");
            BlockingQueue<Call> calls = context.getBean(Manual.class).calls;
            Call first = take(calls);

            first.each().get(0).fail(new BatchFailedException(Map.of(first.ids().get(1), new IOException("busy"))));
            Call second = take(calls);

            assertThat(second.payloads()).containsExactly(first.payloads().get(0));
            second.all().acknowledge();
            first.all().acknowledge();
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 2);
        });
    }

    record Call(List<String> payloads, List<EntryId> ids, List<Acknowledgement> each, Acknowledgement all) {}

    static class Manual {
        final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();

        @OutboxListener(
                value = "batch",
                batch = true,
                ackMode = AckMode.MANUAL,
                errorHandler = "verdict",
                retry = @OutboxRetry(delayMin = "1ms", delayMax = "1ms", attempts = "2"))
        void forward(List<String> payloads, List<EntryId> ids, List<Acknowledgement> each, Acknowledgement all) {
            calls.add(new Call(payloads, ids, each, all));
        }
    }

    @Test
    void givesBackWhatNobodyAcknowledgedWhenItStops(@TempDir Path directory) {
        ApplicationContextRunner durable =
                runner(LastAttempt.class).withPropertyValues("georep.durability=os", "georep.data-dir=" + directory);
        durable.run(context -> {
            sent(context, "a", "b");
            take(context.getBean(LastAttempt.class).seen);
        });

        durable.run(context -> {
            Outbox<String> outbox = sent(context);
            LastAttempt listener = context.getBean(LastAttempt.class);

            assertThat(take(listener.seen)).containsExactlyInAnyOrder("a", "b");
            assertThat(outbox.deadLetters()
                            .list(null, 10)
                            .toCompletableFuture()
                            .join()
                            .letters())
                    .isEmpty();
            assertThat(asked).isEmpty();
        });
    }

    static class LastAttempt {
        final BlockingQueue<List<String>> seen = new LinkedBlockingQueue<>();

        @OutboxListener(
                value = "batch",
                batch = true,
                ackMode = AckMode.MANUAL,
                errorHandler = "verdict",
                retry = @OutboxRetry(attempts = "1"))
        void forward(List<String> payloads, List<Acknowledgement> each) {
            seen.add(payloads);
        }
    }

    @Test
    void refusesAcknowledgementsThatNobodyWaitsFor() {
        TestApplication.alone()
                .withBean(Useless.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("takes an Acknowledgement that there is not"));
    }

    static class Useless {
        @OutboxListener(value = "batch", batch = true)
        void forward(List<String> payloads, List<Acknowledgement> each) {}
    }

    private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(taken).isNotNull();
        return taken;
    }

    /** It is a failure, although it is neither an exception nor an error. */
    @Test
    void anEntryThatFailedAloneWithABareThrowableIsNotForwarded() {
        runner(Bare.class).run(context -> {
            Outbox<String> outbox = sent(context, "a");

            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> context.getBean(Bare.class).calls.size() == 3);
            Awaitility.await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
            assertThat(outbox.statistics().failedAttempts()).isEqualTo(2);
        });
    }

    static class Bare {
        final List<String> calls = new CopyOnWriteArrayList<>();

        @OutboxListener(value = "batch", batch = true, retry = @OutboxRetry(delayMin = "1ms", delayMax = "1ms"))
        void forward(List<String> payloads) {
            calls.addAll(payloads);
            if (calls.size() < 3) {
                throw new BatchFailedException(new Throwable("not even an exception"));
            }
        }
    }
}
