package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.GeoRepNode;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.spring.TransactionCheck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Producers, transactions, listeners and a replicated queue at once, with errors at every call-out, a crash and a restart:
 * the account at the end names each payload that is missing or should never have come. Listeners stop and start meanwhile.
 * Failures name the seed; more with {@code -Dgeorep.stress.sends=5000 -Dgeorep.stress.seed=42 -Dgeorep.stress.stops=1000}.
 */
class StarterStressTest {
    private static final int PRODUCERS = 4;
    private static final int SENDS = Integer.getInteger("georep.stress.sends", 60);
    private static final long SEED = Long.getLong("georep.stress.seed", 1);
    private static final int STOPS = Integer.getInteger("georep.stress.stops", 5);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final List<String> QUEUES = List.of("auto", "manual", "later");

    private final StressAccount account = new StressAccount();

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyPayloadIsAccountedFor(boolean virtual) {
        assumeTrue(!virtual || Runtime.version().feature() >= 21, "there are no virtual threads before JDK 21");
        ApplicationContextRunner application = application(virtual);
        application.run(context -> {
            List<CompletableFuture<Void>> producers = producers(context, virtual, 1);
            Awaitility.await().atMost(SOON).until(() -> account.sends() > PRODUCERS * SENDS / 2);
            context.getBean(GeoRepNode.class).halt();
            producers.forEach(CompletableFuture::join);
        });
        application.run(context -> producers(context, virtual, 2).forEach(CompletableFuture::join));
        application.run(context -> {
            producers(context, virtual, 3).forEach(CompletableFuture::join);
            settle(context);
        });
    }

    private ApplicationContextRunner application(boolean virtual) {
        return TestApplication.alone()
                .withUserConfiguration(StressApplication.class)
                .withBean(StressAccount.class, () -> account)
                .withBean(TransactionCheck.class, () -> account::check)
                .withBean("moody", OutboxErrorHandler.class, () -> account::moody)
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        GeoRepTransactionAutoConfiguration.class))
                .withPropertyValues(
                        "spring.threads.virtual.enabled=" + virtual,
                        "georep.durability=os",
                        "georep.data-dir=" + directory.resolve(virtual ? "virtual" : "platform"),
                        "georep.close-timeout=200ms",
                        "georep.listener.retry.delay-min=2ms",
                        "georep.listener.retry.delay-max=20ms",
                        "georep.outboxes.auto.deduplication-window=1h",
                        "georep.outboxes.auto.concurrency=3",
                        "georep.transactions.check-after=50ms",
                        "georep.transactions.check-interval=20ms");
    }

    /** Producers, consumers of the queue and somebody who stops and starts listeners; the futures are the producers'. */
    private List<CompletableFuture<Void>> producers(ApplicationContext context, boolean virtual, int round) {
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("stress-");
        threads.setVirtualThreads(virtual);
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> producers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            String name = round + "-" + i + "-" + (virtual ? "v" : "p");
            Random random = new Random(SEED * 1_000 + round * 10L + i);
            producers.add(CompletableFuture.runAsync(() -> produce(context, name, random), threads));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(producers.toArray(CompletableFuture[]::new));
        List<CompletableFuture<Void>> result = new ArrayList<>(producers);
        result.add(CompletableFuture.runAsync(() -> stopAndStart(context, all), threads));
        all.whenComplete((ignored, error) -> over.set(true));
        consume(context, threads, new Random(SEED + round), over);
        consume(context, threads, new Random(SEED - round), over);
        return result;
    }

    private void produce(ApplicationContext context, String name, Random random) {
        Outboxes outboxes = context.getBean(Outboxes.class);
        StressApplication.Manager manager = context.getBean(StressApplication.Manager.class);
        BlockingQueue<String> queue = StressApplication.queue(context);
        for (int i = 0; i < SENDS; i++) {
            String payload = name + "-" + i;
            Outbox<String> outbox = outboxes.outbox(QUEUES.get(random.nextInt(3)), String.class);
            SendOptions options = random.nextBoolean()
                    ? SendOptions.defaults()
                    : SendOptions.defaults().producerKey("k" + random.nextInt(40));
            try {
                switch (random.nextInt(4)) {
                    case 0 -> account.plain(payload, meddled(outbox.send(payload, options), random));
                    case 1 -> put(queue, payload, random);
                    default -> transaction(manager, outbox, queue, options, payload, random);
                }
            } catch (RuntimeException e) {
                account.failed(e); // the account knows what the database says
            }
        }
    }

    private void put(BlockingQueue<String> queue, String payload, Random random) {
        try {
            if (random.nextInt(10) == 0) {
                Thread.currentThread().interrupt();
            }
            if (queue.offer(payload, 200, TimeUnit.MILLISECONDS)) {
                account.owedElement(payload);
            }
        } catch (InterruptedException e) {
            account.failed(new IllegalStateException(e));
        } finally {
            Thread.interrupted();
        }
    }

    private void transaction(
            StressApplication.Manager manager,
            Outbox<String> outbox,
            BlockingQueue<String> queue,
            SendOptions options,
            String payload,
            Random random) {
        TransactionTemplate outer = new TransactionTemplate(manager);
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        TransactionTemplate another = new TransactionTemplate(manager);
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        int end = random.nextInt(5);
        outer.executeWithoutResult(status -> {
            write(manager, payload, outbox.send(payload, options), random);
            if (random.nextInt(3) == 0) {
                nested.executeWithoutResult(point -> {
                    String inner = payload + "-nested";
                    account.transactional(inner, outbox.send(inner, options));
                    point.setRollbackOnly();
                });
            }
            if (random.nextInt(3) == 0) {
                another.executeWithoutResult(other -> {
                    String inner = payload + "-another";
                    write(manager, inner, outbox.send(inner, options), random);
                });
            }
            if (random.nextInt(3) == 0 && queue.offer(payload + "-element")) {
                account.transactionalElement(payload + "-element", payload);
            }
            if (end == 0) {
                status.setRollbackOnly();
            }
            manager.fate(end);
        });
    }

    private void write(
            StressApplication.Manager manager,
            String payload,
            CompletionStage<io.georep.model.EntryId> stage,
            Random random) {
        account.transactional(payload, meddled(stage, random));
        manager.insert(payload);
    }

    private static <V> CompletionStage<V> meddled(CompletionStage<V> stage, Random random) {
        switch (random.nextInt(4)) {
            case 0 -> stage.toCompletableFuture().cancel(true);
            case 1 -> stage.toCompletableFuture().orTimeout(1, TimeUnit.NANOSECONDS);
            case 2 -> stage.toCompletableFuture().completeExceptionally(new IllegalStateException("meddled"));
            default -> {}
        }
        return stage;
    }

    private static void stopAndStart(ApplicationContext context, CompletableFuture<Void> until) {
        OutboxListeners listeners = context.getBean(OutboxListeners.class);
        for (int i = 0; i < STOPS && !ends(until); i++) {
            for (OutboxListeners.Container container : listeners.all()) {
                try {
                    container.stop(Duration.ofMillis(5));
                    container.start();
                } catch (RuntimeException e) {
                    return; // the node ended
                }
            }
        }
    }

    /** Whether it has ended, or does so soon: time for entries to arrive between two stops. */
    private static boolean ends(CompletableFuture<Void> until) {
        try {
            until.get(20, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | InterruptedException e) {
            return true;
        }
    }

    /** A consumer of the queue, which takes some elements and goes; then comes the next one. */
    private void consume(ApplicationContext context, AsyncTaskExecutor threads, Random random, AtomicBoolean over) {
        BlockingQueue<String> queue = StressApplication.queue(context);
        long seed = random.nextLong();
        CompletableFuture.runAsync(() -> account.consumeUntilGone(queue, new Random(seed)), threads)
                .whenComplete((ignored, error) -> {
                    if (error == null && !over.get()) {
                        consume(context, threads, new Random(seed), over);
                    }
                });
    }

    /** Nothing is under way any more, nothing is missing, nothing came that should not have. */
    private void settle(ApplicationContext context) {
        OutboxListeners listeners = context.getBean(OutboxListeners.class);
        BlockingQueue<String> queue = StressApplication.queue(context);
        account.calm();
        for (OutboxListeners.Container container : listeners.all()) {
            container.stop(Duration.ZERO); // what nobody acknowledged comes again
            container.start();
        }
        Awaitility.await().atMost(SOON).pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
            account.drain(queue);
            account.judge("seed " + SEED);
            for (String name : QUEUES) {
                Outbox<?> outbox = context.getBean(Outboxes.class).opened(name);
                assertThat(outbox.statistics().active()).as(name).isZero();
                assertThat(outbox.undecided(null, 10).toCompletableFuture().join())
                        .extracting(Delivery::id)
                        .isEmpty();
            }
            assertThat(queue.remainingCapacity()).as("places").isEqualTo(StressApplication.CAPACITY);
        });
    }
}
