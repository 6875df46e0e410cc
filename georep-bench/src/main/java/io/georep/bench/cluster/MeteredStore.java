package io.georep.bench.cluster;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a node asks of its store. */
final class MeteredStore implements EntryStore {
    final LongAdder batches = new LongAdder();
    final LongAdder operations = new LongAdder();
    final LongAdder valueBytes = new LongAdder();
    private final EntryStore store;

    MeteredStore(EntryStore store) {
        this.store = store;
    }

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        store.scanNow(from, to, visitor);
    }

    @Override
    public void start(Listener listener) {
        store.start(listener);
    }

    @Override
    public void submit(StoreBatch batch) {
        batches.increment();
        operations.add(batch.ops().size());
        valueBytes.add(batch.valueBytes());
        store.submit(batch);
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
        store.scan(token, from, to, pairsMax, bytesMax);
    }

    @Override
    public void close() {
        store.close();
    }
}
