package io.georep.spring.outbox;

import io.georep.model.EntryId;

/** Is told about entries that are withdrawn before any handler got them. Thread-safe; must not block. */
@FunctionalInterface
public interface WithdrawalListener {
    /** This entry, prepared on some node, will never be delivered. */
    void withdrawn(String queue, EntryId id);
}
