package io.georep.spring.transaction;

import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.outbox.Outbox;
import io.georep.spring.outbox.SendScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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

/**
 * The sends of one transaction. Its thread sends; with JTA the end may come on another thread, before or after that thread
 * knows. Thread-safe.
 */
final class HeldSends implements TransactionSynchronization, SendScope {
    /**
     * One send, which may still be on its way; without an outbox it is the send of somebody else, and only its answer
     * matters.
     */
    record Held(@Nullable Outbox<?> outbox, String queue, CompletionStage<EntryId> stage) {}

    private record Key(String queue, String key) {}

    /** The send with a key, and how many there were when it was the newest. */
    private record Keyed(CompletionStage<EntryId> stage, int count, Runnable released) {}

    private static final Logger LOG = LoggerFactory.getLogger(HeldSends.class);
    private static final int NOT_ENDED = -1;

    private final TransactionalSends owner;

    // All guarded by this.
    private final List<Held> held = new ArrayList<>();
    private final Map<Key, Keyed> keyed = new HashMap<>();
    private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
    private int answered;
    private long waitUntil;
    private boolean waiting;
    private int ended = NOT_ENDED;

    private HeldSends(TransactionalSends owner) {
        this.owner = owner;
    }

    /**
     * What the transaction of this thread sent so far; null when nothing. Found among its synchronizations, which Spring
     * suspends and ends with it: a resource would outlive a transaction that ends on another thread.
     */
    static @Nullable HeldSends ofCurrentTransaction(TransactionalSends owner) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof HeldSends own && own.owner == owner) {
                    return own;
                }
            }
        }
        return null;
    }

    static HeldSends beginInCurrentTransaction(TransactionalSends owner) {
        HeldSends current = ofCurrentTransaction(owner);
        if (current == null) {
            current = new HeldSends(owner);
            TransactionSynchronizationManager.registerSynchronization(current);
        }
        return current;
    }

    /** A send after the end, which its thread did not hear of yet, shares the fate of the others. */
    void add(Outbox<?> outbox, CompletionStage<EntryId> stage) {
        Held send = new Held(outbox, outbox.name(), stage);
        int status;
        synchronized (this) {
            status = ended;
            if (status == NOT_ENDED) {
                held.add(send);
            }
        }
        if (status != NOT_ENDED) {
            settle(send, status);
        }
    }

    @Override
    public synchronized @Nullable CompletionStage<EntryId> earlier(String queue, String key) {
        Keyed found = keyed.get(new Key(queue, key));
        return found == null ? null : found.stage();
    }

    @Override
    public synchronized void dependsOn(String queue, CompletionStage<EntryId> stage) {
        if (ended == NOT_ENDED) {
            held.add(new Held(null, queue, stage));
        }
    }

    @Override
    public void keyed(String queue, String key, CompletionStage<EntryId> stage, Runnable released) {
        boolean committed;
        synchronized (this) {
            committed = ended == STATUS_COMMITTED;
            if (ended == NOT_ENDED) {
                keyed.put(new Key(queue, key), new Keyed(stage, held.size(), released));
            }
        }
        if (committed) {
            released.run();
        }
    }

    /** Last, so that sends of other synchronizations are waited for too. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public synchronized void savepoint(Object savepoint) {
        savepoints.put(savepoint, held.size());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        List<Held> withdrawn;
        synchronized (this) {
            int from = Math.min(savepoints.getOrDefault(savepoint, 0), held.size());
            List<Held> after = held.subList(from, held.size());
            withdrawn = List.copyOf(after);
            after.clear();
            answered = Math.min(answered, from);
            keyed.values().removeIf(send -> send.count() > from);
        }
        withdrawn.forEach(send -> settle(send, STATUS_ROLLED_BACK));
    }

    /** An entry that has no f+1 durable copies must not be committed to. */
    @Override
    public void beforeCommit(boolean readOnly) {
        awaitAnswers();
    }

    /** Waits for all answers that nobody waited for yet, also of sends that happen meanwhile. */
    void awaitAnswers() {
        for (Held next = unanswered(); next != null; next = unanswered()) {
            await(next);
        }
    }

    private synchronized @Nullable Held unanswered() {
        if (!waiting) {
            waiting = true;
            waitUntil = System.nanoTime() + owner.settings().holdTimeout().toNanos();
        }
        return answered < held.size() ? held.get(answered++) : null;
    }

    private synchronized long left() {
        return Math.max(0, waitUntil - System.nanoTime());
    }

    private void await(Held send) {
        CompletableFuture<EntryId> answer = send.stage().toCompletableFuture();
        if (!answer.isDone() && owner.onApplicationThread()) {
            throw new IllegalStateException(
                    "queue " + send.queue() + ": the commit of a transaction would wait for itself on"
                            + " the application thread of the node: callbacks must not wait");
        }
        try {
            answer.get(left(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IndeterminateException("queue " + send.queue() + ": an entry had no answer within "
                    + owner.settings().holdTimeout() + ", so its transaction does not commit");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IndeterminateException("interrupted before the entries of the transaction were durable");
        }
    }

    @Override
    public void afterCompletion(int status) {
        List<Held> all;
        List<Keyed> keys;
        synchronized (this) {
            if (ended != NOT_ENDED) {
                return;
            }
            ended = status;
            all = List.copyOf(held);
            keys = List.copyOf(keyed.values());
            held.clear();
            keyed.clear();
        }
        all.forEach(send -> settle(send, status));
        if (status == STATUS_COMMITTED) {
            keys.forEach(own -> own.released().run());
        }
    }

    private void settle(Held send, int status) {
        Outbox<?> outbox = send.outbox();
        if (outbox == null) {
            return;
        }
        switch (status) {
            case STATUS_COMMITTED -> {
                owner.decide(outbox, send.stage(), true);
                logIfLost(send);
            }
            case STATUS_ROLLED_BACK -> owner.decide(outbox, send.stage(), false);
            default -> {
                LOG.warn(
                        "Queue {}: a transaction ended with unknown outcome; its entry stays held until it is checked",
                        send.queue());
                owner.abandon(outbox, send.stage());
            }
        }
    }

    /** Only a send of a callback after the commit can still fail. */
    private static void logIfLost(Held send) {
        send.stage().whenComplete((id, error) -> {
            if (error != null) {
                LOG.error(
                        "Queue {}: a transaction committed, but an entry sent after its commit was not stored",
                        send.queue(),
                        error);
            }
        });
    }
}
