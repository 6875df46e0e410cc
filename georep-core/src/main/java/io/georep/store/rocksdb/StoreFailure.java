package io.georep.store.rocksdb;

import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.spi.EntryStore.Listener;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a store by an error, which is told once. Memory may be so short that telling it fails, so that is repeated. */
final class StoreFailure {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWorker.class);

    private final Path directory;
    private final Listener listener;
    private boolean isOver;
    private boolean isUntold;

    /** Made in advance, for the case that making a better error fails. */
    private StoreException error;

    StoreFailure(Path directory, Listener listener) {
        this.directory = directory;
        this.listener = listener;
        this.error = new StoreException(
                Kind.IO, "store in " + directory + " stopped: memory or stack at its end; see the log");
    }

    /** Returns whether the store does nothing more. */
    boolean isOver() {
        return isOver;
    }

    /** Returns whether the listener has yet to be told. */
    boolean isUntold() {
        return isUntold;
    }

    /** Ends the store without an error, because whoever closes it does not wait. */
    void abandon() {
        isOver = true;
    }

    /**
     * Ends the store with this error. Tells the listener before anything else: memory may be short, and others wait for the
     * listener and not for the log.
     */
    void happened(Throwable cause) {
        if (!isOver) {
            isOver = true;
            error = errorOf(cause);
            isUntold = true;
        }
        try {
            tell();
        } catch (Throwable e) {
            // The next turn tells it again.
        }
    }

    /** Tells the listener, if it has yet to be told. */
    void tell() {
        if (isUntold) {
            listener.failed(error);
            isUntold = false;
            LOG.error("{}", error.getMessage(), error);
        }
    }

    private StoreException errorOf(Throwable cause) {
        try {
            if (cause instanceof StoreException known) {
                return known;
            }
            return cause instanceof RocksDBException refused
                    ? StoreErrors.of(directory, "store or read entries", refused)
                    : new StoreException(
                            Kind.IO, "store in " + directory + " stopped: " + cause + "; report this as a bug", cause);
        } catch (Throwable e) {
            return error;
        }
    }
}
