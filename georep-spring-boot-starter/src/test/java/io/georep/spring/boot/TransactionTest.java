package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.TransactionCheck;
import io.georep.spring.transaction.UndecidedEntries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class TransactionTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static ApplicationContextRunner runner() {
        return TestApplication.alone().withBean(Receiver.class).withConfiguration(withDatabase());
    }

    private static AutoConfigurations withDatabase() {
        return AutoConfigurations.of(
                DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class,
                TransactionAutoConfiguration.class,
                GeoRepTransactionAutoConfiguration.class);
    }

    @Test
    void releasesAfterCommit() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);

            EntryId id = transaction(context).execute(status -> {
                EntryId held = outbox.sendAndWait("x", SOON);
                assertThat(outbox.statistics().delivered()).isZero();
                return held;
            });

            assertThat(context.getBean(Receiver.class).take().id()).isEqualTo(id);
        });
    }

    @Test
    void withdrawsAfterRollback() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);

            transaction(context).executeWithoutResult(status -> {
                outbox.sendAndWait("withdrawn", SOON);
                status.setRollbackOnly();
            });
            outbox.sendAndWait("plain", SOON);

            assertThat(context.getBean(Receiver.class).take().payload()).isEqualTo("plain");
            assertThat(outbox.undecided(null, 10).toCompletableFuture().join()).isEmpty();
        });
    }

    @Test
    void keepsTheSendsOfASuspendedTransactionApart() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            TransactionTemplate inner = transaction(context);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

            transaction(context).executeWithoutResult(status -> {
                outbox.sendAndWait("outer", SOON);
                inner.executeWithoutResult(ignored -> outbox.sendAndWait("inner", SOON));
                status.setRollbackOnly();
            });

            assertThat(context.getBean(Receiver.class).take().payload()).isEqualTo("inner");
            assertThat(outbox.undecided(null, 10).toCompletableFuture().join()).isEmpty();
        });
    }

    @Test
    void rollsBackToASavepoint() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            TransactionTemplate nested = transaction(context);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

            transaction(context).executeWithoutResult(status -> {
                nested.executeWithoutResult(point -> {
                    outbox.sendAndWait("nested", SOON);
                    point.setRollbackOnly();
                });
                outbox.sendAndWait("kept", SOON);
            });

            assertThat(context.getBean(Receiver.class).take().payload()).isEqualTo("kept");
            assertThat(outbox.undecided(null, 10).toCompletableFuture().join()).isEmpty();
        });
    }

    @Test
    void doesNotCommitWithoutCopies() {
        runner().withPropertyValues("georep.port=0", "georep.host=127.0.0.1", "georep.f=1")
                .run(context -> {
                    Outbox<String> outbox = outbox(context);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> outbox.send("x")))
                            .isInstanceOf(RejectedException.class);
                });
    }

    @Test
    void forgetsTheProducerKeyOfAWithdrawnSend() {
        runner().withPropertyValues("georep.outboxes.orders.deduplication-window=1h")
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    SendOptions options = SendOptions.defaults().producerKey("k");

                    EntryId withdrawn = transaction(context).execute(status -> {
                        status.setRollbackOnly();
                        return outbox.send("x", options).toCompletableFuture().join();
                    });
                    EntryId sent =
                            outbox.send("x", options).toCompletableFuture().join();
                    EntryId again =
                            outbox.send("x", options).toCompletableFuture().join();

                    assertThat(sent).isNotEqualTo(withdrawn).isEqualTo(again);
                });
    }

    @Test
    void asksTheCheckAfterACrash(@TempDir Path directory) {
        ApplicationContextRunner durable = runner().withPropertyValues(
                        "georep.durability=os",
                        "georep.data-dir=" + directory,
                        "georep.transactions.check-after=100ms",
                        "georep.transactions.check-interval=100ms");
        List<EntryId> held = crashInsideATransaction(durable, "committed", "rolled back", "unknown");

        durable.withBean(
                        TransactionCheck.class,
                        () -> (queue, entry) -> switch (entry.payload().toString()) {
                            case "committed" -> TransactionCheck.Outcome.COMMITTED;
                            case "rolled back" -> TransactionCheck.Outcome.ROLLED_BACK;
                            default -> TransactionCheck.Outcome.UNKNOWN;
                        })
                .run(context -> {
                    assertThat(context.getBean(Receiver.class).take().id()).isEqualTo(held.get(0));
                    UndecidedEntries undecided = context.getBean(UndecidedEntries.class);
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() -> undecided.unknown().equals(java.util.Map.of("orders", 1L)));
                    assertThat(outbox(context)
                                    .undecided(null, 10)
                                    .toCompletableFuture()
                                    .join())
                            .extracting(Delivery::id)
                            .containsExactly(held.get(2));
                });
    }

    private static List<EntryId> crashInsideATransaction(ApplicationContextRunner runner, String... payloads) {
        AtomicReference<List<EntryId>> held = new AtomicReference<>();
        runner.run(context -> {
            Outbox<String> outbox = outbox(context);
            transaction(context).executeWithoutResult(status -> {
                held.set(java.util.Arrays.stream(payloads)
                        .map(payload -> outbox.sendAndWait(payload, SOON))
                        .toList());
                context.getBean(GeoRepNode.class).halt();
                status.setRollbackOnly();
            });
        });
        return held.get();
    }

    @Test
    void sendsAtOnceWithoutSpringTransactions() {
        TestApplication.alone()
                .withBean(Receiver.class)
                .withConfiguration(AutoConfigurations.of(GeoRepTransactionAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(TransactionSynchronizationManager.class))
                .run(context -> {
                    outbox(context).sendAndWait("x", SOON);

                    assertThat(context.getBean(Receiver.class).take().payload()).isEqualTo("x");
                });
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static Outbox<String> outbox(ApplicationContext context) {
        return context.getBean(Outboxes.class).outbox("orders", String.class);
    }

    static class Receiver {
        private final BlockingQueue<Delivery<String>> seen = new LinkedBlockingQueue<>();

        @OutboxListener("orders")
        void forward(Delivery<String> delivery) {
            seen.add(delivery);
        }

        Delivery<String> take() throws InterruptedException {
            Delivery<String> taken = seen.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(taken).isNotNull();
            return taken;
        }
    }
}
