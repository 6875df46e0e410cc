package io.georep.spring.outbox;

import io.georep.model.EntryId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells listeners of all contexts that use a node of entries that are withdrawn, whoever decided it. Thread-safe. */
public final class Withdrawals {
    private final List<WithdrawalListener> listeners = new CopyOnWriteArrayList<>();

    /** Tells this one too, from now on. */
    public void add(WithdrawalListener listener) {
        listeners.add(listener);
    }

    /** Tells this one no longer. */
    public void remove(WithdrawalListener listener) {
        listeners.remove(listener);
    }

    /** These entries of a queue will never be delivered. */
    public void tell(String queue, Collection<EntryId> ids) {
        for (WithdrawalListener listener : listeners) {
            ids.forEach(id -> listener.withdrawn(queue, id));
        }
    }
}
