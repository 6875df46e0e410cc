package io.georep.store.rocksdb;

import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Batches gathered for one write, in a native buffer that the next write uses again. */
final class StoreWrite implements AutoCloseable {
    /** A native buffer that grew beyond this is given back. */
    private static final long KEPT_BYTES_MAX = 16L * 1024 * 1024;

    private static final int SCRATCH_BYTES = 256 * 1024;

    private final Encryption encryption;
    private WriteBatch batch = new WriteBatch();
    private final ByteBuffer keyScratch = ByteBuffer.allocateDirect(1024);
    private final ByteBuffer valueScratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);

    StoreWrite(Encryption encryption) {
        this.encryption = encryption;
    }

    WriteBatch batch() {
        return batch;
    }

    boolean isEmpty() {
        return batch.count() == 0;
    }

    long bytes() {
        return batch.getDataSize();
    }

    void add(StoreBatch changes) throws RocksDBException {
        for (StoreBatch.Op op : changes.ops()) {
            switch (op.kind()) {
                case PUT -> put(op.key(), sealed(op.key(), op.value()));
                case DELETE -> batch.delete(op.key());
                case DELETE_ONCE -> batch.singleDelete(op.key());
                case DELETE_RANGE -> deleteRange(op.key(), wholeArray(op.value()));
            }
        }
    }

    /**
     * Adds the number of this write, under a key of the store's own. It comes last, so that no range deleted in the
     * same write removes it.
     */
    void number(long writeNumber) throws RocksDBException {
        batch.put(
                Database.WRITE_NUMBER_KEY,
                ByteBuffer.allocate(Long.BYTES).putLong(writeNumber).array());
    }

    void clear() {
        if (batch.getDataSize() > KEPT_BYTES_MAX) {
            batch.close();
            batch = new WriteBatch();
        } else {
            batch.clear();
        }
    }

    @Override
    public void close() {
        batch.close();
    }

    private void put(byte[] key, Slice value) throws RocksDBException {
        if (key.length > keyScratch.capacity() || value.length() > SCRATCH_BYTES) {
            batch.put(key, wholeArray(value));
            return;
        }
        keyScratch.clear().put(key).flip();
        valueScratch.clear().put(value.array(), value.offset(), value.length()).flip();
        batch.put(keyScratch, valueScratch);
    }

    private Slice sealed(byte[] key, Slice value) {
        RecordSealer sealer = encryption.sealer();
        return sealer == null ? value : sealer.seal(key, value);
    }

    private static byte[] wholeArray(Slice value) {
        return value.length() == value.array().length ? value.array() : value.toArray();
    }

    private void deleteRange(byte[] from, byte[] to) throws RocksDBException {
        if (Arrays.compareUnsigned(from, to) < 0) {
            batch.deleteRange(from, to);
        }
    }
}
