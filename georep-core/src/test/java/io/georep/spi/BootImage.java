package io.georep.spi;

import io.georep.model.Slice;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;

/**
 * What a protocol finds at boot, over pairs that a test keeps: it can be read once and does nothing else.
 *
 * @param pairs by key, in unsigned order; not changed while they are read
 * @param value of a pair
 */
public record BootImage<V>(SortedMap<byte[], V> pairs, Function<V, Slice> value) implements EntryStore {
    @Override
    public void scanNow(byte[] from, byte[] to, Visitor visitor) {
        for (Map.Entry<byte[], V> pair : pairs.subMap(from, to).entrySet()) {
            if (!visitor.pair(pair.getKey(), value.apply(pair.getValue()))) {
                return;
            }
        }
    }

    @Override
    public void start(Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void submit(StoreBatch batch) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
