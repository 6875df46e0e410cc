package io.georep.runtime;

import io.georep.spi.EntryStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a store on a thread of its own. A disk that hangs holds up that thread for as long as it hangs, but nobody
 * who waits for the node.
 */
public final class StoreCloser {
    private StoreCloser() {}

    /**
     * Closes a store and waits for that, at most so long. If it takes longer, closing goes on, and the directory
     * stays in use until it is done.
     *
     * @param owner whose store it is, for the log and the name of the thread
     */
    public static void close(EntryStore store, String owner, Duration patience) {
        Thread closer = new Thread(new BestEffort(() -> closeQuietly(store))::carryOut, owner + "-store-close");
        closer.setDaemon(true);
        closer.start();
        boolean interrupted = false;
        try {
            closer.join(Math.max(1, patience.toMillis()));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (closer.isAlive()) {
            log().warn(
                            "{}: {} is not closed after {}: the disk hangs or is slow; its directory stays in use until it"
                                    + " answers or this process ends",
                            owner,
                            store,
                            patience);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Not a constant: if memory runs out while a class is initialized, the class can never be used again. */
    private static Logger log() {
        return LoggerFactory.getLogger(StoreCloser.class);
    }

    /** Throws errors on. After a lack of memory, closing is tried again; otherwise the directory would stay in use. */
    private static void closeQuietly(EntryStore store) {
        try {
            store.close();
        } catch (RuntimeException e) {
            log().warn("Closing {} failed", store, e);
        }
    }
}
