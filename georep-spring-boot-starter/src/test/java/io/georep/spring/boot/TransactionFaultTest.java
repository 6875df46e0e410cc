package io.georep.spring.boot;

import static io.georep.spring.boot.TransactionApplication.SOON;
import static io.georep.spring.boot.TransactionApplication.another;
import static io.georep.spring.boot.TransactionApplication.join;
import static io.georep.spring.boot.TransactionApplication.outbox;
import static io.georep.spring.boot.TransactionApplication.received;
import static io.georep.spring.boot.TransactionApplication.runner;
import static io.georep.spring.boot.TransactionApplication.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.Outboxes;
import io.georep.spring.TransactionCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions that end in unusual ways, at unusual times, or on other threads. */
class TransactionFaultTest {
    @Test
    void anUnknownOutcomeIsCheckedWhileTheNodeLives() {
        runner().withBean(TransactionCheck.class, () -> (queue, entry) -> TransactionCheck.Outcome.COMMITTED)
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    context.getBean(TransactionApplication.FailingManager.class)
                            .losesAnswers
                            .set(true);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> outbox.send("x")))
                            .isInstanceOf(TransactionSystemException.class);

                    assertThat(received(context)).isEqualTo("x");
                });
    }

    @Test
    void aCheckThatFailsInWhateverWayIsAskedAgain() {
        AtomicInteger calls = new AtomicInteger();
        runner().withBean(TransactionCheck.class, () -> (queue, entry) -> {
                    switch (calls.incrementAndGet()) {
                        case 1 -> throw new NoClassDefFoundError("gone after a redeployment");
                        case 2 -> throw new HandlerFaultTest.Mute();
                        case 3 -> {
                            return null;
                        }
                        default -> {
                            Thread.currentThread().interrupt();
                            return TransactionCheck.Outcome.COMMITTED;
                        }
                    }
                })
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    context.getBean(TransactionApplication.FailingManager.class)
                            .losesAnswers
                            .set(true);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> outbox.send("x")))
                            .isInstanceOf(TransactionSystemException.class);

                    assertThat(received(context)).isEqualTo("x");
                    assertThat(calls).as("the first answer counts").hasValue(4);
                });
    }

    /** The database of the check is away, and there may be any number of undecided entries. */
    @Test
    void aCheckThatAlwaysFailsIsToldAFewTimesAMinute() {
        CountDownLatch asked = new CountDownLatch(100);
        try (CapturedChanges log = new CapturedChanges("io.georep.spring.transaction.UndecidedEntries")) {
            runner().withBean(TransactionCheck.class, () -> (queue, entry) -> {
                        asked.countDown();
                        throw new IllegalStateException("database is away");
                    })
                    .run(context -> {
                        Outbox<String> outbox = outbox(context);
                        context.getBean(TransactionApplication.FailingManager.class)
                                .losesAnswers
                                .set(true);

                        assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                                    for (int i = 0; i < 50; i++) {
                                        outbox.send("x" + i);
                                    }
                                }))
                                .isInstanceOf(TransactionSystemException.class);

                        assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
                    });

            assertThat(log.texts(Level.WARN)).hasSizeBetween(1, 30);
        }
    }

    /** A driver may wait for a server that is gone. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aCheckThatHangsIsNamedAndKeepsNoOtherQueueWaiting(CapturedOutput output) {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        runner().withBean(TransactionCheck.class, () -> (queue, entry) -> {
                    if (queue.equals("orders")) {
                        hangs.countDown();
                        released.await();
                    }
                    return TransactionCheck.Outcome.COMMITTED;
                })
                .run(context -> {
                    Outbox<String> outbox = outbox(context);
                    Outbox<String> other = context.getBean(Outboxes.class).outbox("other", String.class);
                    CompletableFuture<String> got = new CompletableFuture<>();
                    other.forward(delivery -> got.complete(delivery.payload()));
                    context.getBean(TransactionApplication.FailingManager.class)
                            .losesAnswers
                            .set(true);
                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> outbox.send("x")))
                            .isInstanceOf(TransactionSystemException.class);
                    hangs.await();
                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> other.send("y")))
                            .isInstanceOf(TransactionSystemException.class);

                    assertThat(got.get(60, TimeUnit.SECONDS)).isEqualTo("y");
                    Awaitility.await()
                            .atMost(SOON)
                            .until(() ->
                                    output.getOut().contains("Queue orders: the transaction check has not returned"));
                    assertThat(output).contains("TransactionFaultTest.java"); // where it hangs
                    released.countDown();
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
                    TransactionApplication.FailingManager manager =
                            context.getBean(TransactionApplication.FailingManager.class);
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

    /** The application thread brings the answer it would wait for. */
    @Test
    void aCommitThatWouldWaitForItselfIsRefusedByName() {
        runner().run(context -> {
            Outbox<String> outbox = outbox(context);
            CompletableFuture<Throwable> refusal = new CompletableFuture<>();

            Outbox<String> probe =
                    context.getBean(GeoRepNode.class).outbox("probe", String.class, options -> options.f(0));
            probe.forward(
                    delivery -> {
                        try {
                            transaction(context).executeWithoutResult(status -> outbox.send("never"));
                            refusal.complete(null);
                        } catch (Throwable e) {
                            refusal.complete(e);
                        }
                    },
                    options -> options.executor(Runnable::run));
            probe.send("go");

            assertThat(refusal.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("commit of a transaction")
                    .hasMessageContaining("application thread");
            outbox.sendAndWait("plain", SOON);
            assertThat(received(context)).isEqualTo("plain");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> join(outbox.undecided(null, 10)).isEmpty());
        });
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
                    .get(60, TimeUnit.SECONDS);

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
                    .get(60, TimeUnit.SECONDS);
            join(outbox.send("after"));
            TransactionSynchronizationManager.clear();
            outbox.sendAndWait("plain", SOON);

            assertThat(received(context)).isEqualTo("plain");
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> join(outbox.undecided(null, 10)).isEmpty());
        });
    }
}
