package io.georep.store.memory;

import io.georep.model.Slice;
import io.georep.spi.EntryStore.Pair;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Pairs in unsigned key order, and what batches do to them. Not thread-safe. */
final class SortedPairs {
    /** A value, and whether its key had one before. */
    private record Stored(Slice value, boolean isOverwrite) {}

    /** Answer to a bounded scan. */
    record Found(List<Pair> pairs, boolean more) {}

    private final NavigableMap<byte[], Stored> content = new TreeMap<>(Arrays::compareUnsigned);

    SortedPairs copy() {
        SortedPairs copy = new SortedPairs();
        copy.content.putAll(content);
        return copy;
    }

    /**
     * Makes all changes of a batch.
     *
     * @throws IllegalStateException when a key set twice is removed by {@code deleteOnce}
     */
    void apply(StoreBatch batch) {
        for (StoreBatch.Op op : batch.ops()) {
            switch (op.kind()) {
                case PUT -> content.put(op.key(), new Stored(op.value(), content.containsKey(op.key())));
                case DELETE -> content.remove(op.key());
                case DELETE_ONCE -> removeOnce(op.key());
                case DELETE_RANGE -> range(op.key(), op.value().toArray()).clear();
            }
        }
    }

    private void removeOnce(byte[] key) {
        Stored removed = content.remove(key);
        if (removed != null && removed.isOverwrite()) {
            throw new IllegalStateException("key " + Arrays.toString(key)
                    + " was set more than once and removed by deleteOnce: use delete for keys that are overwritten");
        }
    }

    Found scan(byte[] from, byte[] to, int pairsMax, long bytesMax) {
        List<Pair> pairs = new ArrayList<>();
        long bytes = 0;
        for (Map.Entry<byte[], Stored> entry : range(from, to).entrySet()) {
            Slice value = entry.getValue().value();
            bytes += value.length();
            if (!pairs.isEmpty() && (pairs.size() >= pairsMax || bytes > bytesMax)) {
                return new Found(pairs, true);
            }
            pairs.add(new Pair(entry.getKey(), value));
        }
        return new Found(pairs, false);
    }

    private NavigableMap<byte[], Stored> range(byte[] from, byte[] to) {
        boolean isEmpty = Arrays.compareUnsigned(from, to) >= 0;
        return content.subMap(from, true, isEmpty ? from : to, false);
    }
}
