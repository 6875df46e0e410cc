package io.georep.spring.transaction;

import io.georep.Outbox;
import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The sends of one transaction. Used by its thread only. */
final class HeldSends implements TransactionSynchronization {
    /** One send, which may still be on its way. */
    record Held(
            Outbox<?> outbox,
            CompletionStage<EntryId> stage,
            @Nullable String producerKey) {}

    private static final Logger LOG = LoggerFactory.getLogger(HeldSends.class);

    private final TransactionalSends owner;
    private final List<Held> held = new ArrayList<>();
    private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();

    private HeldSends(TransactionalSends owner) {
        this.owner = owner;
    }

    static HeldSends ofCurrentTransaction(TransactionalSends owner) {
        HeldSends current = (HeldSends) TransactionSynchronizationManager.getResource(owner);
        if (current == null) {
            current = new HeldSends(owner);
            TransactionSynchronizationManager.bindResource(owner, current);
            TransactionSynchronizationManager.registerSynchronization(current);
        }
        return current;
    }

    void add(Held send) {
        held.add(send);
    }

    /** Last, so that sends of other synchronizations are waited for too. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(owner);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(owner, this);
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, held.size());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        int from = savepoints.getOrDefault(savepoint, 0);
        List<Held> after = held.subList(Math.min(from, held.size()), held.size());
        after.forEach(send -> owner.decide(send, false));
        after.clear();
    }

    /** An entry that has no f+1 durable copies must not be committed to. */
    @Override
    public void beforeCommit(boolean readOnly) {
        long deadline = System.nanoTime() + owner.settings().holdTimeout().toNanos();
        for (Held send : held) {
            await(send, deadline);
        }
    }

    private void await(Held send, long deadline) {
        try {
            long left = Math.max(0, deadline - System.nanoTime());
            send.stage().toCompletableFuture().get(left, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IndeterminateException("queue " + send.outbox().name() + ": an entry had no answer within "
                    + owner.settings().holdTimeout() + ", so its transaction does not commit");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IndeterminateException("interrupted before the entries of the transaction were durable");
        }
    }

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(owner);
        for (Held send : held) {
            switch (status) {
                case STATUS_COMMITTED -> release(send);
                case STATUS_ROLLED_BACK -> owner.decide(send, false);
                default -> {
                    LOG.warn(
                            "Queue {}: a transaction ended with unknown outcome; its entry stays held until it is"
                                    + " checked",
                            send.outbox().name());
                    owner.abandon(send);
                }
            }
        }
    }

    private void release(Held send) {
        owner.decide(send, true);
        // Only a send by another synchronization, after beforeCommit, can still fail here.
        send.stage().whenComplete((id, error) -> {
            if (error != null) {
                LOG.error(
                        "Queue {}: a transaction committed, but an entry sent while it committed was not stored",
                        send.outbox().name(),
                        error);
            }
        });
    }
}
