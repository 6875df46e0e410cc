package io.georep.funnel.core;

import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** The last operation of a client that retries. Made anew by each operation. */
final class ClientRecord extends Item {
    private final byte[] storeKey;
    private final byte[] record;
    final String client;
    final long operation;

    /** Whether its condition held. */
    final boolean applied;

    /** The value it met, if it was one to be told. */
    final @Nullable Slice before;

    ClientRecord(
            byte[] storeKey,
            byte[] record,
            String client,
            long operation,
            boolean applied,
            @Nullable Slice before,
            Version version) {
        this.storeKey = storeKey;
        this.record = record;
        this.client = client;
        this.operation = operation;
        this.applied = applied;
        this.before = before;
        view = version.view();
        commit = version.commit();
    }

    /** Bytes of the value that is kept. */
    long bytes() {
        return before == null ? 0 : before.length();
    }

    @Override
    byte[] storeKey() {
        return storeKey;
    }

    @Override
    byte[] record() {
        return record;
    }
}
