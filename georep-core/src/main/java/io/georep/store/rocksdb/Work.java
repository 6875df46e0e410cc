package io.georep.store.rocksdb;

import io.georep.concurrent.LinkedHandOff;
import org.jspecify.annotations.Nullable;

/** Something for the store's thread to do, and what follows it. */
abstract class Work implements LinkedHandOff.Link<Work> {
    private @Nullable Work next;

    @Override
    public final @Nullable Work next() {
        return next;
    }

    @Override
    public final void next(@Nullable Work link) {
        next = link;
    }
}
