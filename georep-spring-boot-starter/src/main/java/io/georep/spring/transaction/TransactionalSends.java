package io.georep.spring.transaction;

import io.georep.SendOptions;
import io.georep.model.EntryId;
import io.georep.spring.outbox.Deduplication;
import io.georep.spring.outbox.SendAdvice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets sends inside a transaction share its fate. The copies are made at once, but held; the commit waits until they are
 * durable and fails when they cannot be made; then handlers get the entries, or after a rollback they are withdrawn. What
 * a crash leaves in between is settled by {@link UndecidedEntries}.
 */
public final class TransactionalSends implements SendAdvice {
    private final TransactionSettings settings;
    private final Deduplication deduplication;
    private final Set<EntryId> open = ConcurrentHashMap.newKeySet();

    public TransactionalSends(TransactionSettings settings, Deduplication deduplication) {
        this.settings = settings;
        this.deduplication = deduplication;
    }

    @Override
    public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return next.send(call);
        }
        HeldSends held = HeldSends.ofCurrentTransaction(this);
        SendOptions options = call.options();
        List<CompletionStage<EntryId>> stages = new ArrayList<>(call.payloads().size());
        for (T payload : call.payloads()) {
            CompletionStage<EntryId> stage = call.outbox().prepare(payload, options);
            stage.thenAccept(open::add);
            held.add(new HeldSends.Held(call.outbox(), stage, options.producerKey()));
            stages.add(stage);
        }
        return stages;
    }

    TransactionSettings settings() {
        return settings;
    }

    /** Whether a transaction of this process will decide on the entry. */
    boolean isOpen(EntryId id) {
        return open.contains(id);
    }

    /** The transaction of these entries is over. */
    void decide(HeldSends.Held held, boolean commit) {
        String key = held.producerKey();
        if (!commit && key != null) {
            deduplication.forget(held.outbox().name(), key);
        }
        held.stage().thenAccept(id -> {
            held.outbox().decide(List.of(id), commit);
            open.remove(id);
        });
    }

    /** Nobody knows how the transaction of this entry ended. */
    void abandon(HeldSends.Held held) {
        held.stage().thenAccept(open::remove);
    }
}
