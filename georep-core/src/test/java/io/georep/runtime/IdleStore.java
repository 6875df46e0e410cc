package io.georep.runtime;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.List;

/** Keeps the batches and does nothing with them: a test says when they are durable. */
class IdleStore implements EntryStore {
    final List<StoreBatch> batches = new ArrayList<>();

    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {}

    @Override
    public void start(Listener listener) {}

    @Override
    public void submit(StoreBatch batch) {
        batches.add(batch);
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {}

    @Override
    public void close() {}
}
