package io.georep.runtime;

import io.georep.model.GeoRepException;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store on a thread of its own. A disk that hangs holds up that thread for as long as it hangs, but nobody
 * who waits for the node.
 */
public final class StoreOpener {
    private StoreOpener() {}

    /**
     * Opens a store and waits for that, at most so long. A store that opens later is closed at once.
     *
     * @param owner whose store it is, for messages and the name of the thread
     * @throws GeoRepException if it cannot be opened, or not within this time
     */
    public static EntryStore open(Supplier<EntryStore> opening, String owner, Duration patience) {
        CompletableFuture<EntryStore> opened = new CompletableFuture<>();
        Thread opener = new Thread(
                () -> {
                    try {
                        EntryStore store = opening.get();
                        if (!opened.complete(store)) {
                            StoreCloser.close(store, owner, Duration.ZERO);
                        }
                    } catch (Throwable e) {
                        opened.completeExceptionally(e);
                    }
                },
                owner + "-store-open");
        opener.setDaemon(true);
        opener.start();
        try {
            return opened.get(TimeUnit.NANOSECONDS.convert(patience), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        } catch (TimeoutException e) {
            return lateOrFail(
                    opened,
                    new StoreException(
                            StoreException.Kind.STALLED,
                            "the store of " + owner + " did not open within " + patience + ": does its disk hang? Check"
                                    + " the disk; when it is only slow, or much is to be recovered, raise startTimeout",
                            e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lateOrFail(
                    opened, new StoreException(StoreException.Kind.IO, "interrupted while the node was starting", e));
        }
    }

    /** Throws this failure, unless the store opened at this very moment: then returns it. */
    private static EntryStore lateOrFail(CompletableFuture<EntryStore> opened, StoreException failure) {
        if (opened.completeExceptionally(failure)) {
            throw failure;
        }
        try {
            return opened.join();
        } catch (CompletionException e) {
            throw rethrown(e.getCause());
        }
    }

    private static RuntimeException rethrown(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(cause);
    }
}
