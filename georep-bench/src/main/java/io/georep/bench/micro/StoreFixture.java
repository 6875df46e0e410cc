package io.georep.bench.micro;

import io.georep.bench.process.Workspace;
import io.georep.bench.store.StoreProgress;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A started store of one durability in a directory of its own, with pairs under numbered keys. Not thread-safe. */
final class StoreFixture implements AutoCloseable {
    static final int VALUE_BYTES = 300;

    private static final byte[] END = {3};

    private final Workspace workspace;
    private final EntryStore store;
    private final StoreProgress progress = new StoreProgress();
    private final byte[] value = BenchmarkPayload.bytes(VALUE_BYTES);

    StoreFixture(Durability durability) throws IOException {
        workspace = Workspace.create("georep-store-");
        store = durability == Durability.MEMORY
                ? new MemoryStore()
                : RocksDbStore.open(
                        workspace.directory().resolve("data"),
                        RocksDbStoreConfig.builder(NodeId.of("bench"), "bench")
                                .durability(durability)
                                .build());
        store.start(progress);
    }

    /** Adds so many pairs to a batch, numbered from the first on. */
    void put(StoreBatch batch, long first, int count) {
        for (int i = 0; i < count; i++) {
            batch.put(key(first + i), Slice.of(value));
        }
    }

    /** Adds the removal of so many pairs to a batch. */
    void remove(StoreBatch batch, long first, int count) {
        for (int i = 0; i < count; i++) {
            batch.deleteOnce(key(first + i));
        }
    }

    /** Gives the batch to the store and waits until fewer than so many are under way. */
    void submit(StoreBatch batch, int underWayMax) throws InterruptedException {
        batch.requireDurable();
        store.submit(batch);
        progress.submitted(underWayMax);
    }

    /** Waits until everything submitted is durable. */
    void awaitAll() throws InterruptedException {
        progress.awaitAll();
    }

    /** Reads at most so many pairs from this number on. */
    List<EntryStore.Pair> page(long first, int count) throws InterruptedException {
        store.scan(0, key(first), END, count, Long.MAX_VALUE);
        return progress.awaitScan();
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(9).put((byte) 2).putLong(number).array();
    }

    @Override
    public void close() {
        store.close();
        workspace.close();
    }
}
