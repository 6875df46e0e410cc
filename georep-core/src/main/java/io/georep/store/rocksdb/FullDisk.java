package io.georep.store.rocksdb;

import io.georep.spi.EntryStore.Listener;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the listener and the log are told of a disk that is full, or so slow that it takes nothing. */
final class FullDisk {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWorker.class);

    private final Path directory;
    private final Listener listener;
    private boolean isMet;
    private boolean isReported;

    FullDisk(Path directory, Listener listener) {
        this.directory = directory;
        this.listener = listener;
    }

    /** A write failed, and is repeated. Says so each time, because a silent store counts as one that hangs. */
    void met(RocksDBException cause) {
        if (!isMet) {
            LOG.warn(
                    "{}",
                    StoreErrors.of(directory, "write, which it repeats until it can", cause)
                            .getMessage());
        }
        isMet = true;
        isReported = true;
        listener.full(true);
    }

    /** A write succeeded. Returns whether writes had failed before. */
    boolean ends() {
        boolean wasMet = isMet;
        if (wasMet) {
            LOG.info("store in {} can write again and goes on", directory);
            isMet = false;
        }
        return wasMet;
    }

    /** Tells the listener if this differs from what it was told last. */
    void report(boolean isSpaceLow) {
        boolean isFull = isMet || isSpaceLow;
        if (isFull != isReported) {
            isReported = isFull;
            listener.full(isFull);
        }
    }
}
