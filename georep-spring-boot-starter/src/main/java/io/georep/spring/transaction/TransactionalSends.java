package io.georep.spring.transaction;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.georep.spring.outbox.SendScope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets sends inside a transaction share its fate. The copies are made at once, but held; the commit waits until they are
 * durable and fails when they cannot be made; then handlers get the entries, or after a rollback they are withdrawn. What
 * a crash or a lost answer leaves in between is settled by {@link UndecidedEntries}.
 */
public final class TransactionalSends implements SendInterceptor, SendScope.Current {
    private final TransactionSettings settings;
    private final BooleanSupplier onApplicationThread;
    private final List<Consumer<Outbox<?>>> onAbandoned = new CopyOnWriteArrayList<>();

    /** Entries of this process whose transaction ended without saying how. */
    private final Set<EntryId> abandoned = ConcurrentHashMap.newKeySet();

    private final AtomicLong unanswered = new AtomicLong();

    /** What tells the entries of this process from earlier ones of the node; 0 until a send was answered. */
    private volatile long boot;

    /**
     * No send yet.
     *
     * @param onApplicationThread whether the caller is the node's application thread
     */
    public TransactionalSends(TransactionSettings settings, BooleanSupplier onApplicationThread) {
        this.settings = settings;
        this.onApplicationThread = onApplicationThread;
    }

    @Override
    public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
        if (!inTransaction()) {
            return next.send(call);
        }
        HeldSends held = HeldSends.beginInCurrentTransaction(this);
        SendOptions options = call.options();
        List<CompletionStage<EntryId>> stages = new ArrayList<>(call.payloads().size());
        for (T payload : call.payloads()) {
            CompletionStage<EntryId> stage = prepared(call.outbox(), payload, options);
            held.add(call.outbox(), stage);
            stages.add(stage);
        }
        return stages;
    }

    private <T> CompletionStage<EntryId> prepared(Outbox<T> outbox, T payload, SendOptions options) {
        unanswered.incrementAndGet();
        CompletionStage<EntryId> stage;
        try {
            stage = outbox.prepare(payload, options);
        } catch (Throwable e) {
            unanswered.decrementAndGet();
            throw e;
        }
        stage.whenComplete((id, error) -> {
            if (error == null) {
                boot = id.stream().boot();
            }
            unanswered.decrementAndGet();
        });
        return stage;
    }

    @Override
    public @Nullable SendScope get() {
        return inTransaction() ? HeldSends.beginInCurrentTransaction(this) : null;
    }

    private static boolean inTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Waits for what the transaction of this thread sent, which is about to commit. */
    void awaitAnswers() {
        HeldSends held = HeldSends.ofCurrentTransaction(this);
        if (held != null) {
            held.awaitAnswers();
        }
    }

    boolean onApplicationThread() {
        return onApplicationThread.getAsBoolean();
    }

    TransactionSettings settings() {
        return settings;
    }

    /**
     * Returns whether a transaction of this process will decide on an entry that was found undecided: whatever its age, and
     * whether its send was answered or not.
     *
     * @param id an entry that this node accepted, in this process or before
     */
    boolean willDecide(EntryId id) {
        // In this order: an answer tells the boot first, and then that it is no longer missing.
        boolean missing = unanswered.get() > 0;
        long known = boot;
        // As long as no send was answered, nobody knows which entries are from before.
        return known == 0 ? missing : id.stream().boot() == known && !abandoned.contains(id);
    }

    /** Returns whether {@link #willDecide} no longer has to guess. */
    boolean knowsItsEntries() {
        return boot != 0;
    }

    /** Tells this callback, on the application thread, of queues with entries whose transaction ended unknown. */
    void onAbandoned(Consumer<Outbox<?>> callback) {
        onAbandoned.add(callback);
    }

    /** Decides about an entry whose transaction is over. */
    void decide(Outbox<?> outbox, CompletionStage<EntryId> stage, boolean commit) {
        stage.thenAccept(id -> decide(outbox, List.of(id), commit));
    }

    /** Decides about entries of which it is known now how their transactions ended. */
    void decide(Outbox<?> outbox, Collection<EntryId> ids, boolean commit) {
        outbox.decide(ids, commit);
        abandoned.removeAll(ids);
    }

    /** Leaves an entry undecided, because nobody knows how its transaction ended. */
    void abandon(Outbox<?> outbox, CompletionStage<EntryId> stage) {
        stage.thenAccept(id -> {
            abandoned.add(id);
            onAbandoned.forEach(callback -> callback.accept(outbox));
        });
    }
}
