package io.georep.store.rocksdb;

import io.georep.concurrent.LinkedHandOff;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Durability;
import io.georep.spi.EntryStore.Listener;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's thread. Everything that is queued during one write becomes the next write (group commit). So a slow
 * disk makes writes larger, and not the queue longer. Scans keep their place in the order: what is queued before a
 * scan is applied before it, but synced together with what comes after.
 */
final class StoreWorker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWorker.class);

    private static final long TICK_NANOS = 1_000_000_000L;
    private static final long RETELL_NANOS = 100_000_000L;

    /** A batch to apply. */
    static final class BatchWork extends Work {
        final StoreBatch batch;

        BatchWork(StoreBatch batch) {
            this.batch = batch;
        }
    }

    /** A range to read. */
    static final class ScanWork extends Work {
        final long token;
        final byte[] from;
        final byte[] to;
        final int pairsMax;
        final long bytesMax;

        ScanWork(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
            this.token = token;
            this.from = from;
            this.to = to;
            this.pairsMax = pairsMax;
            this.bytesMax = bytesMax;
        }
    }

    /** The last work of all. */
    static final class CloseWork extends Work {}

    /** Gives up batches that do not fit on the disk, because the store is being closed. */
    private static final class AbandonedException extends Exception {
        private static final long serialVersionUID = 1L;

        AbandonedException(RocksDBException cause) {
            super(cause);
        }
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws RocksDBException;
    }

    private final Path directory;
    private final Path data;
    private final RocksDbStoreConfig config;
    private final boolean isLogged;
    private final Database database;
    private final DurableMark mark;
    private final LinkedHandOff<Work> queue;
    private final Listener listener;
    private final SpaceWatch space;
    private final Ticker ticker;
    private final StoreWrite group;
    private final StoreFailure failure;
    private final FullDisk fullDisk;

    private volatile boolean closing;
    private boolean isFinished;
    private boolean isMarkBroken;
    private boolean needsSync;
    private long batchNumber;
    private long reportedNumber;
    private long writeNumber;
    private long lastTickNanos;

    StoreWorker(
            StoreDirectory directory,
            RocksDbStoreConfig config,
            Database database,
            DurableMark mark,
            LinkedHandOff<Work> queue,
            Listener listener,
            SpaceWatch space,
            Ticker ticker,
            long writeNumber) {
        this.directory = directory.root();
        this.data = directory.data();
        this.config = config;
        this.isLogged = config.durability() != Durability.MEMORY;
        this.database = database;
        this.group = new StoreWrite(database.encryption());
        this.mark = mark;
        this.queue = queue;
        this.listener = listener;
        this.space = space;
        this.ticker = ticker;
        this.writeNumber = writeNumber;
        this.lastTickNanos = ticker.nanos() - TICK_NANOS;
        this.failure = new StoreFailure(this.directory, listener);
        this.fullDisk = new FullDisk(this.directory, listener);
    }

    /** Makes a write that waits for space give up. */
    void closing() {
        closing = true;
    }

    @Override
    public void run() {
        while (!isFinished) {
            try {
                turn();
            } catch (Throwable e) {
                failure.happened(e);
                if (failure.isUntold()) {
                    LockSupport.parkNanos(this, RETELL_NANOS);
                }
            }
            // Nothing more will be done. Whoever closes the store waits for this thread.
            isFinished |= failure.isOver() && closing;
        }
        group.close();
    }

    private void turn() throws RocksDBException {
        failure.tell();
        tick();
        Work first = queue.takeAll();
        if (first == null) {
            queue.await(TICK_NANOS);
            return;
        }
        try {
            work(first);
        } catch (AbandonedException e) {
            failure.abandon();
            LOG.warn(
                    "store in {} closes without the batches after number {}: no space left on the disk; they were not"
                            + " reported durable",
                    directory,
                    reportedNumber);
        }
    }

    private void work(Work first) throws RocksDBException, AbandonedException {
        for (Work work = first; work != null; work = work.next()) {
            if (work instanceof CloseWork) {
                commit();
                finish();
                return;
            } else if (!failure.isOver()) {
                handle(work);
            }
        }
        commit();
    }

    private void handle(Work work) throws RocksDBException, AbandonedException {
        if (work instanceof BatchWork batchWork) {
            group.add(batchWork.batch);
            batchNumber++;
            needsSync |= !config.durability().isStrongerThan(batchWork.batch.required());
            if (group.bytes() >= config.groupBytesMax()) {
                commit();
            }
        } else if (work instanceof ScanWork scan) {
            numberChanges();
            write(false);
            Database.Found found = database.scan(scan.from, scan.to, scan.pairsMax, scan.bytesMax);
            listener.scanned(scan.token, found.pairs(), found.more());
        }
    }

    /** Makes what was gathered as durable as it was asked for, and reports it. */
    private void commit() throws RocksDBException, AbandonedException {
        if (failure.isOver() || batchNumber == reportedNumber) {
            return;
        }
        boolean isToLast = needsSync && isLogged;
        if (isToLast) {
            // A write of its own if necessary: what stood before a scan was written without a sync.
            number();
        } else {
            numberChanges();
        }
        write(isToLast && config.durability() == Durability.FSYNC);
        if (isToLast) {
            advanceMark();
        }
        BrokenInvariantException.require(
                group.isEmpty() && batchNumber > reportedNumber,
                "what is called durable is new, and written",
                directory);
        needsSync = false;
        reportedNumber = batchNumber;
        listener.durable(reportedNumber);
    }

    private void numberChanges() throws RocksDBException {
        if (isLogged && !group.isEmpty()) {
            number();
        }
    }

    private void number() throws RocksDBException {
        group.number(++writeNumber);
    }

    private void write(boolean sync) throws RocksDBException, AbandonedException {
        if (!group.isEmpty()) {
            untilThereIsSpace(() -> database.write(group, sync));
            group.clear();
        }
    }

    /**
     * Starts RocksDB afresh. If only the sync of a write failed, the log may contain the write nevertheless. If it
     * were made once more, its values would outlive their one deletion.
     *
     * @return whether the write under way was found
     */
    private boolean reopen() throws RocksDBException {
        database.reopen();
        // What recovery finds it writes to a synced table file.
        return database.writeNumber() == writeNumber;
    }

    /**
     * Repeats an attempt as long as it fails because the disk is full, or because table files cannot be written fast
     * enough. What is queued behind it waits, in order.
     */
    private void untilThereIsSpace(Attempt attempt) throws RocksDBException, AbandonedException {
        RetryPauses pauses = new RetryPauses();
        while (true) {
            try {
                boolean isReopened = !database.isOpen() || (isLogged && pauses.isReopenDue());
                if (!isReopened || !reopen()) {
                    attempt.run();
                }
                break;
            } catch (RocksDBException e) {
                boolean isNoSpace = StoreErrors.isNoSpace(e);
                if (!isNoSpace && !StoreErrors.isStall(e)) {
                    throw e;
                }
                // A stall without errors ends by itself, so closing waits for it.
                boolean isHopeless = isNoSpace || database.hasBackgroundErrors();
                if (closing && isHopeless) {
                    throw new AbandonedException(e);
                }
                if (isNoSpace || pauses.isStallLong()) {
                    fullDisk.met(e);
                }
                pauses.pause(isNoSpace, isHopeless);
            }
        }
        if (fullDisk.ends()) {
            reportFull();
        }
    }

    private void tick() {
        long now = ticker.nanos();
        if (now - lastTickNanos < TICK_NANOS) {
            return;
        }
        lastTickNanos = now;
        space.look();
        database.encryption().refresh();
        reportFull();
        forceMark();
    }

    private void reportFull() {
        if (!failure.isOver()) {
            fullDisk.report(space.isLow());
        }
    }

    private void advanceMark() {
        try {
            mark.advance(config.durability() == Durability.FSYNC, writeNumber);
        } catch (IOException e) {
            markBroke(e);
        }
    }

    private void forceMark() {
        try {
            mark.look(data);
            mark.force();
        } catch (IOException e) {
            markBroke(e);
        }
    }

    /** Logs once that a mark could not be written. The old mark stays true, but it detects a loss of older writes only. */
    private void markBroke(IOException cause) {
        if (!isMarkBroken) {
            isMarkBroken = true;
            LOG.warn("store in {} cannot write {}: {}", directory, StoreDirectory.MARK, cause.toString());
        }
    }

    /** Writes everything to table files, so that the next start need not read the log. Opening reads it twice. */
    private void emptyLog() {
        try {
            database.flush();
        } catch (RocksDBException e) {
            LOG.info("store in {} closes with what is in its log: {}", directory, e.getMessage());
        }
    }

    private void finish() throws RocksDBException, AbandonedException {
        isFinished = true;
        if (failure.isOver()) {
            return;
        }
        number();
        write(isLogged);
        if (isLogged) {
            emptyLog();
        } else {
            database.flush();
        }
        try {
            mark.look(data);
            mark.reset(writeNumber);
        } catch (IOException e) {
            markBroke(e);
        }
    }
}
