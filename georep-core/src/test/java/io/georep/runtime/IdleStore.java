package io.georep.runtime;

import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;

/** Has nothing and does nothing: a test says when its batches are durable. */
final class IdleStore implements EntryStore {
    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {}

    @Override
    public void start(Listener listener) {}

    @Override
    public void submit(StoreBatch batch) {}

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {}

    @Override
    public void close() {}
}
