package io.georep.spring.boot;

import static io.georep.spring.boot.TransactionApplication.SOON;
import static io.georep.spring.boot.TransactionApplication.join;
import static io.georep.spring.boot.TransactionApplication.runner;
import static io.georep.spring.boot.TransactionApplication.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedQueue;
import io.georep.spring.TransactionCheck;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionSystemException;

/** Elements put into a replicated queue inside transactions, and the places they take. */
class TransactionPutTest {
    @Configuration(proxyBeanMethods = false)
    static class Queues {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> small() {
            return new LinkedBlockingQueue<>(1);
        }
    }

    @SuppressWarnings("unchecked")
    private static BlockingQueue<String> small(ApplicationContext context) {
        return (BlockingQueue<String>) context.getBean("small");
    }

    @Test
    void aPutThatIsRolledBackReturnsItsPlace() {
        runner().withUserConfiguration(Queues.class).run(context -> {
            BlockingQueue<String> queue = small(context);

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
                    BlockingQueue<String> queue = small(context);
                    context.getBean(TransactionApplication.FailingManager.class)
                            .losesAnswers
                            .set(true);

                    assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> queue.offer("x")))
                            .isInstanceOf(TransactionSystemException.class);

                    Awaitility.await().atMost(SOON).until(() -> queue.remainingCapacity() == 1);
                });
    }

    @Test
    void aPutThatTheOperatorWithdrawsReturnsItsPlace() {
        runner().withUserConfiguration(Queues.class).run(context -> {
            BlockingQueue<String> queue = small(context);
            Outbox<?> outbox = context.getBean(Outboxes.class).opened("small");
            context.getBean(TransactionApplication.FailingManager.class)
                    .losesAnswers
                    .set(true);
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> queue.offer("x")))
                    .isInstanceOf(TransactionSystemException.class);
            assertThat(outbox).isNotNull();
            List<EntryId> held = Awaitility.await().atMost(SOON).until(() -> ids(outbox), ids -> ids.size() == 1);
            assertThat(queue.remainingCapacity()).isZero();

            outbox.decide(held, false);

            assertThat(queue.remainingCapacity()).isEqualTo(1);
        });
    }

    private static <T> List<EntryId> ids(Outbox<T> outbox) {
        return join(outbox.undecided(null, 10)).stream().map(Delivery::id).toList();
    }

    /** The beans that decide belong to the parent. */
    @Test
    void aPutIntoAQueueOfAChildContextReturnsItsPlace() {
        runner().run(parent -> {
            for (int i = 0; i < 2; i++) {
                TestApplication.alone()
                        .withParent(parent)
                        .withUserConfiguration(Queues.class)
                        .run(child -> {
                            BlockingQueue<String> queue = small(child);

                            transaction(parent).executeWithoutResult(status -> {
                                assertThat(queue.offer("rolled back")).isTrue();
                                assertThat(queue.remainingCapacity()).isZero();
                                status.setRollbackOnly();
                            });

                            Awaitility.await().atMost(SOON).until(() -> queue.remainingCapacity() == 1);
                        });
            }
        });
    }
}
