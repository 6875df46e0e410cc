package io.georep.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.StreamId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Which undecided entries nobody is to be asked about, because a transaction of this process decides on them. */
class TransactionalSendsTest {
    private static final EntryId BEFORE = new EntryId(new StreamId(NodeId.of("n1"), 1, 0), 0);
    private static final EntryId NOW = new EntryId(new StreamId(NodeId.of("n1"), 2, 0), 0);

    private final TransactionalSends transactions =
            new TransactionalSends(new TransactionSettings(Duration.ZERO, Duration.ZERO, Duration.ZERO), () -> false);

    @BeforeEach
    void begin() {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
    }

    @AfterEach
    void end() {
        TransactionSynchronizationManager.clear();
    }

    @Test
    void nothingWasSentYet() {
        assertThat(transactions.willDecide(BEFORE)).isFalse();
        assertThat(transactions.willDecide(NOW)).isFalse();
    }

    /** The entry may be listed long before its send is answered, and be older than any age at which others are asked about. */
    @Test
    void aSendWithoutAnswerMayBeAnyOfThem() {
        CompletableFuture<EntryId> answer = new CompletableFuture<>();
        send(() -> answer);

        assertThat(transactions.willDecide(NOW)).isTrue();
        assertThat(transactions.willDecide(BEFORE)).isTrue();
        assertThat(transactions.knowsItsEntries()).isFalse();

        answer.complete(NOW);

        assertThat(transactions.willDecide(NOW)).isTrue();
        assertThat(transactions.willDecide(BEFORE)).isFalse();
        assertThat(transactions.knowsItsEntries()).isTrue();
    }

    @Test
    void aSendThatFailedIsNone() {
        send(() -> CompletableFuture.failedFuture(new IllegalStateException("refused")));
        assertThatThrownBy(() -> send(() -> {
                    throw new IllegalArgumentException("no payload");
                }))
                .hasMessage("no payload");

        assertThat(transactions.willDecide(BEFORE)).isFalse();
    }

    @Test
    void anUnknownOutcomeIsNotItsOwnUntilSomebodyKnows() {
        List<Outbox<?>> told = new ArrayList<>();
        transactions.onAbandoned(told::add);
        Outbox<String> outbox = send(() -> CompletableFuture.completedFuture(NOW));

        synchronizations().forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_UNKNOWN));

        assertThat(transactions.willDecide(NOW)).isFalse();
        assertThat(told).containsExactly(outbox);
        transactions.decide(outbox, List.of(NOW), true);
        assertThat(transactions.willDecide(NOW)).isTrue();
    }

    /** Answers that were waited for and then rolled back must not stand for those of later sends. */
    @Test
    void aSendAfterARollbackToASavepointIsWaitedFor() {
        transactions.get(); // so that there is something to tell
        synchronizations().forEach(each -> each.savepoint("point"));
        send(() -> CompletableFuture.completedFuture(NOW));
        transactions.awaitAnswers();
        synchronizations().forEach(each -> each.savepointRollback("point"));

        send(() -> CompletableFuture.failedFuture(new RejectedException(RejectedException.Reason.QUEUE_FULL, "full")));

        assertThatThrownBy(transactions::awaitAnswers).isInstanceOf(RejectedException.class);
    }

    /** The time a commit may wait does not begin before it. */
    @Test
    void theEndOfASavepointWaitsForNothing() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("sends", transactions);
        CommitGate gate = new CommitGate(beans.getBeanProvider(TransactionalSends.class));
        send(CompletableFuture::new);

        gate.beforeCommit(status(true));

        assertThatThrownBy(() -> gate.beforeCommit(status(false)))
                .isInstanceOf(IndeterminateException.class)
                .hasMessageContaining("does not commit");
    }

    private static TransactionStatus status(boolean savepoint) {
        return new SimpleTransactionStatus() {
            @Override
            public boolean hasSavepoint() {
                return savepoint;
            }
        };
    }

    private static List<TransactionSynchronization> synchronizations() {
        return TransactionSynchronizationManager.getSynchronizations();
    }

    private Outbox<String> send(Supplier<CompletionStage<EntryId>> prepared) {
        @SuppressWarnings("unchecked")
        Outbox<String> outbox = (Outbox<String>) Proxy.newProxyInstance(
                TransactionalSendsTest.class.getClassLoader(),
                new Class<?>[] {Outbox.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "name" -> "queue";
                    case "prepare" -> prepared.get();
                    case "decide" -> null;
                    case "equals" -> proxy == args[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        transactions.send(new SendInterceptor.Call<>(outbox, List.of("x"), SendOptions.defaults()), call -> List.of());
        return outbox;
    }
}
