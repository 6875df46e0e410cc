package io.georep.store.rocksdb;

import io.georep.model.Durability;
import io.georep.model.Slice;
import io.georep.spi.EntryStore.Pair;
import io.georep.spi.EntryStore.Visitor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.FlushOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** The native store and its native options, opened and closed together. Used by one thread at a time. */
class Database implements AutoCloseable {
    /** Answer to a bounded scan. */
    record Found(List<Pair> pairs, boolean more) {}

    /** Holds the number of the last write that was logged. Hidden from scans; applications have no such key. */
    static final byte[] WRITE_NUMBER_KEY = {-1, 'g', 'e', 'o', 'r', 'e', 'p', '.', 'w', 'r', 'i', 't', 'e', -1};

    private final DatabaseOptions options;
    // A write that would have to wait for table files fails instead: on a full disk it would wait for ever.
    private final WriteOptions unsynced = new WriteOptions().setNoSlowdown(true);
    private final WriteOptions synced = new WriteOptions().setNoSlowdown(true).setSync(true);
    private final String path;
    private final Encryption encryption;
    private final RecordOpener scanned;
    private final RecordOpener visited;
    private RocksDB db;

    Database(DatabaseOptions options, String path, boolean isLogged, RocksDB db, Encryption encryption) {
        this.options = options;
        this.path = path;
        this.db = db;
        this.encryption = encryption;
        this.scanned = new RecordOpener(encryption);
        this.visited = new RecordOpener(encryption);
        unsynced.setDisableWAL(!isLogged);
    }

    static Database open(Path directory, RocksDbStoreConfig config, boolean isNew, Encryption encryption)
            throws RocksDBException {
        DatabaseOptions options = new DatabaseOptions(config);
        options.createIfMissing(isNew);
        try {
            RocksDB db = RocksDB.open(options.options(), directory.toString());
            options.createIfMissing(false);
            boolean isLogged = config.durability() != Durability.MEMORY;
            return new Database(options, directory.toString(), isLogged, db, encryption);
        } catch (RocksDBException e) {
            options.close();
            throw e;
        }
    }

    /**
     * Reads through the directory as recovery would, without changing anything in it.
     *
     * @return the number of the last numbered write that recovery would find
     */
    static long inspect(Path directory, RocksDbStoreConfig config) throws RocksDBException {
        try (DatabaseOptions options = new DatabaseOptions(config);
                RocksDB db = RocksDB.openReadOnly(options.options(), directory.toString())) {
            if (config.verifyOnOpen()) {
                db.verifyChecksum();
            }
            return writeNumber(db);
        }
    }

    /** Closes and opens again. This clears an error that RocksDB would go on reporting. */
    void reopen() throws RocksDBException {
        db.close();
        db = RocksDB.open(options.options(), path);
    }

    boolean isOpen() {
        return !db.isClosed();
    }

    void write(StoreWrite group, boolean sync) throws RocksDBException {
        db.write(sync ? synced : unsynced, group.batch());
    }

    /** Writes everything that is only in memory to table files. */
    void flush() throws RocksDBException {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
            db.flush(flush);
        }
    }

    /** Returns whether writing table files has failed since the store was opened. */
    boolean hasBackgroundErrors() throws RocksDBException {
        return isOpen() && db.getLongProperty("rocksdb.background-errors") > 0;
    }

    /** Returns the number of the last numbered write, 0 for none. */
    long writeNumber() throws RocksDBException {
        return writeNumber(db);
    }

    private static long writeNumber(RocksDB db) throws RocksDBException {
        byte[] value = db.get(WRITE_NUMBER_KEY);
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    Encryption encryption() {
        return encryption;
    }

    /** Calls the visitor for the pairs in [from, to), until it returns false; by one thread at a time. */
    void visit(byte[] from, byte[] to, Visitor visitor) throws RocksDBException {
        visit(from, to, visitor, visited);
    }

    private void visit(byte[] from, byte[] to, Visitor visitor, RecordOpener opener) throws RocksDBException {
        try (org.rocksdb.Slice end = new org.rocksdb.Slice(to);
                ReadOptions read = new ReadOptions().setIterateUpperBound(end);
                RocksIterator pairs = db.newIterator(read)) {
            for (pairs.seek(from); pairs.isValid(); pairs.next()) {
                byte[] key = pairs.key();
                if (!Arrays.equals(key, WRITE_NUMBER_KEY) && !visitor.pair(key, opener.open(key, pairs.value()))) {
                    return;
                }
            }
            pairs.status();
        }
    }

    /** Takes the first bytes of a value, as it is stored. */
    interface BeginningVisitor {
        void value(byte[] beginning);
    }

    /** Calls the visitor with the first bytes of every value, at most so many of each. */
    void visitBeginnings(int bytesMax, BeginningVisitor visitor) throws RocksDBException {
        ByteBuffer beginning = ByteBuffer.allocateDirect(bytesMax);
        // What is read once must not push out of the cache what is needed again.
        try (ReadOptions read = new ReadOptions().setFillCache(false);
                RocksIterator pairs = db.newIterator(read)) {
            for (pairs.seekToFirst(); pairs.isValid(); pairs.next()) {
                if (!Arrays.equals(pairs.key(), WRITE_NUMBER_KEY)) {
                    int length = pairs.value(beginning.clear());
                    byte[] bytes = new byte[Math.min(length, bytesMax)];
                    beginning.get(0, bytes);
                    visitor.value(bytes);
                }
            }
            pairs.status();
        }
    }

    Found scan(byte[] from, byte[] to, int pairsMax, long bytesMax) throws RocksDBException {
        Page page = new Page(pairsMax, bytesMax);
        visit(from, to, page, scanned);
        return new Found(page.pairs, page.more);
    }

    /** Collects pairs up to the limits, but at least one. */
    private static final class Page implements Visitor {
        final List<Pair> pairs = new ArrayList<>();
        final int pairsMax;
        final long bytesMax;
        long bytes;
        boolean more;

        Page(int pairsMax, long bytesMax) {
            this.pairsMax = pairsMax;
            this.bytesMax = bytesMax;
        }

        @Override
        public boolean pair(byte[] key, Slice value) {
            bytes += value.length();
            more = !pairs.isEmpty() && (pairs.size() >= pairsMax || bytes > bytesMax);
            if (!more) {
                pairs.add(new Pair(key, value));
            }
            return !more;
        }
    }

    @Override
    public void close() {
        db.close();
        unsynced.close();
        synced.close();
        options.close();
    }
}
