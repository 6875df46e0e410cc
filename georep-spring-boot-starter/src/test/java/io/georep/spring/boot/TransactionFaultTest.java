package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.Outbox;
import io.georep.SendOptions;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedQueue;
import io.georep.spring.TransactionCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that end in unusual ways, at unusual times, or beside others with the same producer key. */
class TransactionFaultTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final SendOptions KEY = SendOptions.defaults().producerKey("k");

    private static ApplicationContextRunner runner() {
        return TestApplication.alone()
                .withUserConfiguration(Managers.class)
                .withBean(TransactionTest.Receiver.class)
                .withPropertyValues(
                        "georep.outboxes.orders.deduplication-window=1h",
                        "georep.transactions.check-after=100ms",
                        "georep.transactions.check-interval=100ms",
                        "georep.close-timeout=200ms")
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        GeoRepTransactionAutoConfiguration.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Managers {
        @Bean
        FailingManager transactionManager(javax.sql.DataSource source) {
            return new FailingManager(source);
        }
    }

    /** Commits in the database, and then does not know it. */
    static final class FailingManager extends DataSourceTransactionManager {
        private static final long serialVersionUID = 1L;
        final transient AtomicBoolean losesAnswers = new AtomicBoolean();

        FailingManager(javax.sql.DataSource source) {
            super(source);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            super.doCommit(status);
            if (losesAnswers.get()) {
                throw new TransactionSystemException("the connection broke during the commit");
            }
        }
    }

    @Test
    void aTransactionDoesNotShareTheFateOfAnotherWithTheSameKey() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);

            transaction(context).executeWithoutResult(status -> {
                outbox.send("rolled back", KEY);
                another(context).executeWithoutResult(inner -> outbox.send("committed", KEY));
                status.setRollbackOnly();
            });

            assertThat(received(context)).isEqualTo("committed");
        });
    }

    @Test
    void aSendOutsideDoesNotShareTheFateOfATransactionWithTheSameKey() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            TransactionTemplate outside = transaction(context);
            outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

            transaction(context).executeWithoutResult(status -> {
                outbox.send("rolled back", KEY);
                outside.executeWithoutResult(none -> join(outbox.send("plain", KEY)));
                status.setRollbackOnly();
            });

            assertThat(received(context)).isEqualTo("plain");
        });
    }

    @Test
    void aRollbackLeavesTheKeyOfANewerSendAlone() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            AtomicReference<EntryId> committed = new AtomicReference<>();

            transaction(context).executeWithoutResult(status -> {
                outbox.send("rolled back", KEY);
                committed.set(another(context).execute(inner -> join(outbox.send("committed", KEY))));
                status.setRollbackOnly();
            });

            assertThat(join(outbox.send("again", KEY))).isEqualTo(committed.get());
        });
    }

    @Test
    void oneTransactionSendsAKeyOnceUnlessItRolledItBack() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            TransactionTemplate nested = transaction(context);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            List<EntryId> ids = new ArrayList<>();

            transaction(context).executeWithoutResult(status -> {
                nested.executeWithoutResult(point -> {
                    ids.add(join(outbox.send("to the savepoint", KEY)));
                    point.setRollbackOnly();
                });
                ids.add(join(outbox.send("kept", KEY)));
                ids.add(join(outbox.send("repeated", KEY)));
            });
            ids.add(join(outbox.send("repeated", KEY)));

            assertThat(received(context)).isEqualTo("kept");
            assertThat(ids.get(0)).isNotEqualTo(ids.get(1));
            assertThat(ids.get(1)).isEqualTo(ids.get(2)).isEqualTo(ids.get(3));
        });
    }

    @Test
    void anUnknownOutcomeIsCheckedWhileTheNodeLives() {
        runner().withBean(TransactionCheck.class, () -> (queue, entry) -> TransactionCheck.Outcome.COMMITTED)
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    context.getBean(FailingManager.class).losesAnswers.set(true);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> outbox.send("x")))
                            .isInstanceOf(TransactionSystemException.class);

                    assertThat(received(context)).isEqualTo("x");
                });
    }

    @Test
    void aCheckThatFailsInWhateverWayIsAskedAgain() {
        java.util.concurrent.atomic.AtomicInteger calls = new java.util.concurrent.atomic.AtomicInteger();
        runner().withBean(TransactionCheck.class, () -> (queue, entry) -> {
                    switch (calls.incrementAndGet()) {
                        case 1 -> throw new NoClassDefFoundError("gone after a redeployment");
                        case 2 -> throw new HandlerFaultTest.Mute();
                        case 3 -> {
                            return null;
                        }
                        default -> {
                            return TransactionCheck.Outcome.COMMITTED;
                        }
                    }
                })
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    context.getBean(FailingManager.class).losesAnswers.set(true);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> outbox.send("x")))
                            .isInstanceOf(TransactionSystemException.class);

                    assertThat(received(context)).isEqualTo("x");
                });
    }

    @Test
    void anEntryOfAnOpenTransactionIsNotChecked() {
        List<Object> asked = new java.util.concurrent.CopyOnWriteArrayList<>();
        runner().withBean(TransactionCheck.class, () -> (queue, entry) -> {
                    asked.add(entry.payload());
                    return entry.payload().equals("open")
                            ? TransactionCheck.Outcome.ROLLED_BACK
                            : TransactionCheck.Outcome.COMMITTED;
                })
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    FailingManager manager = context.getBean(FailingManager.class);
                    // Prepared by hand: the application decides on it itself.
                    EntryId own = join(outbox.prepare("own", SendOptions.defaults()));

                    transaction(context).executeWithoutResult(status -> {
                        outbox.send("open");
                        manager.losesAnswers.set(true);
                        assertThatThrownBy(() -> another(context).executeWithoutResult(in -> outbox.send("unknown")))
                                .isInstanceOf(TransactionSystemException.class);
                        manager.losesAnswers.set(false);
                        try {
                            assertThat(received(context)).isEqualTo("unknown");
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    });

                    assertThat(received(context)).isEqualTo("open");
                    assertThat(asked).containsOnly("unknown");
                    outbox.decide(List.of(own), true);
                    assertThat(received(context)).isEqualTo("own");
                });
    }

    @Test
    void aSendOfACommitCallbackIsWaitedFor() {
        for (boolean first : new boolean[] {true, false}) {
            for (boolean beforeCommit : new boolean[] {true, false}) {
                runner().withPropertyValues("georep.port=0", "georep.host=127.0.0.1", "georep.f=0")
                        .run(context -> {
                            Outbox<String> outbox = outbox(context);
                            SendOptions refused = SendOptions.defaults().f(1);
                            List<Integer> ended = new ArrayList<>();

                            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                                        if (!first) {
                                            outbox.send("before");
                                        }
                                        TransactionSynchronizationManager.registerSynchronization(
                                                sending(beforeCommit, () -> outbox.send("x", refused), ended));
                                    }))
                                    .as("first %s, beforeCommit %s", first, beforeCommit)
                                    .isInstanceOf(RejectedException.class);
                            assertThat(ended).containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK);
                        });
            }
        }
    }

    private static TransactionSynchronization sending(boolean beforeCommit, Runnable send, List<Integer> ended) {
        return new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                if (beforeCommit) {
                    send.run();
                }
            }

            @Override
            public void beforeCompletion() {
                if (!beforeCommit) {
                    send.run();
                }
            }

            @Override
            public void afterCompletion(int status) {
                ended.add(status);
            }
        };
    }

    @Test
    void aPutThatIsRolledBackReturnsItsPlace() {
        runner().withUserConfiguration(Queues.class).run(context -> {
            @SuppressWarnings("unchecked")
            BlockingQueue<String> queue = (BlockingQueue<String>) context.getBean("small");

            for (int i = 0; i < 3; i++) {
                transaction(context).executeWithoutResult(status -> {
                    assertThat(queue.offer("rolled back")).isTrue();
                    status.setRollbackOnly();
                });
                Awaitility.await().atMost(SOON).until(() -> queue.remainingCapacity() == 1);
            }
            transaction(context)
                    .executeWithoutResult(
                            status -> assertThat(queue.offer("kept")).isTrue());

            assertThat(queue.take()).isEqualTo("kept");
            assertThat(queue.remainingCapacity()).isZero();
        });
    }

    @Test
    void aPutOfUnknownOutcomeReturnsItsPlaceWhenItWasRolledBack() {
        runner().withUserConfiguration(Queues.class)
                .withBean(TransactionCheck.class, () -> (queue, entry) -> TransactionCheck.Outcome.ROLLED_BACK)
                .run(context -> {
                    @SuppressWarnings("unchecked")
                    BlockingQueue<String> queue = (BlockingQueue<String>) context.getBean("small");
                    context.getBean(FailingManager.class).losesAnswers.set(true);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> queue.offer("x")))
                            .isInstanceOf(TransactionSystemException.class);

                    Awaitility.await().atMost(SOON).until(() -> queue.remainingCapacity() == 1);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Queues {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> small() {
            return new LinkedBlockingQueue<>(1);
        }
    }

    /** As with JTA, where a timer or another resource ends the transaction. */
    @Test
    void aCompletionOnAnotherThreadLeavesTheNextTransactionAlone() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            TransactionSynchronizationManager.initSynchronization();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            outbox.send("first");
            List<TransactionSynchronization> own = TransactionSynchronizationManager.getSynchronizations();
            own.forEach(synchronization -> synchronization.beforeCommit(false));
            TransactionSynchronizationManager.clear();

            transaction(context).executeWithoutResult(status -> outbox.send("second"));
            String second = received(context);
            CompletableFuture.runAsync(() ->
                            own.forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_COMMITTED)))
                    .get(10, TimeUnit.SECONDS);

            assertThat(second).isEqualTo("second");
            assertThat(received(context)).isEqualTo("first");
            assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        });
    }

    /** A timer rolled the transaction back, and its thread does not know it yet. */
    @Test
    void aSendAfterTheTransactionEndedSharesItsFate() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            TransactionSynchronizationManager.initSynchronization();
            TransactionSynchronizationManager.setActualTransactionActive(true);
            outbox.send("before");
            List<TransactionSynchronization> own = TransactionSynchronizationManager.getSynchronizations();
            CompletableFuture.runAsync(() ->
                            own.forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)))
                    .get(10, TimeUnit.SECONDS);
            join(outbox.send("after"));
            TransactionSynchronizationManager.clear();
            outbox.sendAndWait("plain", SOON);

            assertThat(received(context)).isEqualTo("plain");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> join(outbox.undecided(null, 10)).isEmpty());
        });
    }

    @Test
    void nobodyCanCompleteTheAnswerOfASend() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            AtomicReference<CompletionStage<EntryId>> held = new AtomicReference<>();

            transaction(context).executeWithoutResult(status -> {
                CompletionStage<EntryId> stage = outbox.send("x", KEY);
                held.set(stage);
                meddle(stage);
            });
            String released = received(context);
            EntryId first = join(held.get());
            meddle(outbox.send("x", KEY));

            assertThat(released).isEqualTo("x");
            assertThat(join(outbox.send("x", KEY))).isEqualTo(first);
        });
    }

    private static void meddle(CompletionStage<EntryId> stage) {
        stage.toCompletableFuture().cancel(true);
        stage.toCompletableFuture().completeExceptionally(new IllegalStateException("from the caller"));
        if (stage instanceof CompletableFuture<EntryId> future) {
            try {
                future.cancel(true);
                future.obtrudeException(new IllegalStateException("from the caller"));
            } catch (UnsupportedOperationException e) {
                assertThat(e).hasMessageContaining("copy");
            }
        }
    }

    private static String received(ApplicationContext context) throws InterruptedException {
        return context.getBean(TransactionTest.Receiver.class).take().payload();
    }

    private static <V> V join(CompletionStage<V> stage) {
        return stage.toCompletableFuture().join();
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static TransactionTemplate another(ApplicationContext context) {
        TransactionTemplate template = transaction(context);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }

    private static Outbox<String> outbox(ApplicationContext context) {
        return context.getBean(Outboxes.class).outbox("orders", String.class);
    }
}
