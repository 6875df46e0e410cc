package io.georep.store.rocksdb;

import io.georep.concurrent.LinkedHandOff;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * The durable store: RocksDB, used by one thread.
 *
 * <p>One directory belongs to one node. Opening fails, with the {@linkplain StoreException#kind() kind} as the
 * reason, if the directory is damaged or lacks anything that was reported durable ({@code CORRUPT}), if it belongs to
 * another node or cluster ({@code FOREIGN}), if a later version wrote it ({@code NEWER_VERSION}), if it is open in
 * this or another process ({@code LOCKED}), or if it cannot be written ({@code NOT_WRITABLE}, {@code FULL}). A log
 * that a crash has torn is not damage.
 *
 * <p>When the disk runs low, the store tells its listener and goes on. If a write does not fit, the store keeps it
 * and everything after it in order, and repeats it until it fits.
 */
public final class RocksDbStore implements EntryStore {
    static {
        RocksDB.loadLibrary();
    }

    private final StoreDirectory directory;
    private final RocksDbStoreConfig config;
    private final Database database;
    private final DurableMark mark;
    private final SpaceWatch space;
    private final Ticker ticker;
    private final long writeNumber;
    private final LinkedHandOff<Work> queue = new LinkedHandOff<>();

    /** Guards the life of the native objects against a late {@link #scanNow}. */
    private final Object lifeLock = new Object();

    /** Held while closing, so that a second caller of close also returns only when it is done. */
    private final Object closeLock = new Object();

    private volatile @Nullable StoreWorker worker;
    private volatile @Nullable Thread thread;
    private volatile boolean isClosed;

    /** Made in advance, because closing must need no memory. */
    private final StoreWorker.CloseWork lastWork = new StoreWorker.CloseWork();

    /** Guarded by the close lock, like the next one. */
    private boolean isLastWorkQueued;

    private boolean isReleased;

    private RocksDbStore(
            StoreDirectory directory,
            RocksDbStoreConfig config,
            Database database,
            DurableMark mark,
            SpaceWatch space,
            Ticker ticker,
            long writeNumber) {
        this.directory = directory;
        this.config = config;
        this.database = database;
        this.mark = mark;
        this.space = space;
        this.ticker = ticker;
        this.writeNumber = writeNumber;
    }

    /**
     * Opens the store in a directory, which is created if need be.
     *
     * @throws StoreException when the directory cannot be used
     */
    public static RocksDbStore open(Path directory, RocksDbStoreConfig config) {
        return open(directory, config, probe(directory), Ticker.system());
    }

    static RocksDbStore open(Path root, RocksDbStoreConfig config, SpaceWatch.Probe probe, Ticker ticker) {
        StoreDirectory directory = StoreDirectory.open(root, config);
        DurableMark mark = null;
        Database database = null;
        try {
            mark = DurableMark.open(directory.mark());
            if (!directory.isNew()) {
                inspect(directory, config, mark);
            }
            Encryption encryption = new Encryption(directory, config.encryption());
            database = Database.open(directory.data(), config, directory.isNew(), encryption);
            // Recovery wrote what it found in the logs to a synced table file.
            long writeNumber = database.writeNumber();
            mark.look(directory.data());
            mark.reset(writeNumber);
            encryption.begin(database);
            if (directory.isNew()) {
                StoreDirectory.syncDirectory(directory.data());
                directory.ready();
            }
            return new RocksDbStore(
                    directory,
                    config,
                    database,
                    mark,
                    new SpaceWatch(config.minFreeBytes(), probe),
                    ticker,
                    writeNumber);
        } catch (RocksDBException e) {
            closeAll(database, mark, directory);
            throw StoreErrors.of(root, "open", e);
        } catch (IOException e) {
            closeAll(database, mark, directory);
            throw StoreDirectory.notWritable(root, e);
        } catch (RuntimeException | Error e) {
            closeAll(database, mark, directory);
            throw e;
        }
    }

    /** Checks, before recovery changes anything, that recovery would keep what was promised. */
    private static void inspect(StoreDirectory directory, RocksDbStoreConfig config, DurableMark mark)
            throws IOException, RocksDBException {
        DurableMark.Promise promise = mark.read();
        if (promise == null) {
            throw StoreErrors.corrupt(directory.root(), StoreDirectory.MARK + " is missing or damaged");
        }
        if (!promise.manifest().isKeptIn(directory.data())) {
            throw StoreErrors.corrupt(
                    directory.root(), "the MANIFEST in " + StoreDirectory.DATA + " is missing, cut short or altered");
        }
        long found = Database.inspect(directory.data(), config);
        if (found < promise.writeNumber()) {
            throw StoreErrors.corrupt(
                    directory.root(),
                    "it ends at write " + found + ", but writes up to " + promise.writeNumber()
                            + " were reported durable");
        }
    }

    private static SpaceWatch.Probe probe(Path directory) {
        return () -> {
            try {
                return Files.getFileStore(directory).getUsableSpace();
            } catch (IOException e) {
                // The free space is unknown. That is no reason to stop: a write that does not fit is noticed anyway.
                return Long.MAX_VALUE;
            }
        };
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        synchronized (lifeLock) {
            checkOpen();
            try {
                database.visit(from, to, visitor);
            } catch (RocksDBException e) {
                throw StoreErrors.of(directory.root(), "read", e);
            }
        }
    }

    @Override
    public void start(Listener listener) {
        synchronized (lifeLock) {
            checkOpen();
            if (thread != null) {
                throw new IllegalStateException(this + " was started before: call start once");
            }
            worker = new StoreWorker(directory, config, database, mark, queue, listener, space, ticker, writeNumber);
            thread = new Thread(worker, "georep-store-" + config.nodeId());
            thread.start();
        }
    }

    @Override
    public void submit(StoreBatch batch) {
        checkOpen();
        queue.push(new StoreWorker.BatchWork(batch));
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
        checkOpen();
        queue.push(new StoreWorker.ScanWork(token, from, to, pairsMax, bytesMax));
    }

    @Override
    public void close() {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException(this + " cannot be closed by its own listener: use another thread");
        }
        synchronized (closeLock) {
            if (isReleased) {
                return;
            }
            if (thread == null) {
                start(new SilentListener());
            }
            isClosed = true;
            stopWorker();
            synchronized (lifeLock) {
                closeAll(database, mark, directory);
            }
            isReleased = true;
        }
    }

    @Override
    public String toString() {
        return "store in " + directory.root();
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException(this + " is closed: open it again");
        }
    }

    private void stopWorker() {
        Thread running = thread;
        StoreWorker told = worker;
        if (running == null || told == null) {
            return;
        }
        told.closing();
        if (!isLastWorkQueued) {
            isLastWorkQueued = true;
            queue.push(lastWork);
        }
        boolean interrupted = false;
        while (running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeAll(
            @Nullable Database database, @Nullable DurableMark mark, @Nullable StoreDirectory directory) {
        if (database != null) {
            database.close();
        }
        if (mark != null) {
            try {
                mark.close();
            } catch (IOException e) {
                // Nothing was promised that needs this file any more.
            }
        }
        if (directory != null) {
            directory.close();
        }
    }

    /** The listener of a store that is closed without ever having been started. */
    private static final class SilentListener implements Listener {
        @Override
        public void durable(long batchNumber) {}

        @Override
        public void scanned(long token, List<Pair> pairs, boolean more) {}

        @Override
        public void full(boolean full) {}

        @Override
        public void failed(StoreException cause) {}
    }
}
