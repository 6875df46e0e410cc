package io.georep.keys.local;

import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpace;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyEvent;
import io.georep.runtime.CallQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One space. There may be several objects for the same space.
 *
 * @param f how many other nodes must confirm a write
 */
record LocalKeySpace(KeyCommand.Space space, int f, CallQueue<KeyCommand, KeyEvent> calls) implements KeySpace {
    /** How many bytes a call takes besides its keys and values. */
    private static final int OVERHEAD_BYTES = 100;

    @Override
    public String name() {
        return space.name();
    }

    @Override
    public CompletionStage<Void> write(KeyBatch batch) {
        if (batch.bytes() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.call(
                batch.bytes() + OVERHEAD_BYTES,
                true,
                done -> null,
                token -> new KeyCommand.Write(space, f, batch, token));
    }

    @Override
    public CompletionStage<byte @Nullable []> get(byte[] key) {
        byte[] own = key.clone();
        return calls.call(
                OVERHEAD_BYTES + own.length,
                false,
                read -> ((KeyEvent.Value) read).value(),
                token -> new KeyCommand.Get(space, own, token));
    }

    @Override
    public CompletionStage<Page> scan(byte[] from, byte @Nullable [] to, int max) {
        if (max < 1) {
            throw new IllegalArgumentException("max is " + max + ", at least 1");
        }
        byte[] first = from.clone();
        byte[] end = to == null ? null : to.clone();
        return calls.call(
                OVERHEAD_BYTES,
                false,
                read -> ((KeyEvent.Page) read).page(),
                token -> new KeyCommand.Scan(space, first, end, max, token));
    }
}
