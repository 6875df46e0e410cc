package io.georep.spring.boot;

import static io.georep.spring.boot.TransactionApplication.KEY;
import static io.georep.spring.boot.TransactionApplication.another;
import static io.georep.spring.boot.TransactionApplication.join;
import static io.georep.spring.boot.TransactionApplication.outbox;
import static io.georep.spring.boot.TransactionApplication.received;
import static io.georep.spring.boot.TransactionApplication.runner;
import static io.georep.spring.boot.TransactionApplication.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions beside other sends with the same producer key, and callers that meddle with the answers. */
class TransactionKeyTest {
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
}
