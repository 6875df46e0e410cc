package io.georep.store.rocksdb;

import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;

/**
 * A sequence of batches like the outbox makes them, each a function of its number, so that the content after any number
 * of them is known: a blob written once and deleted once later, a fact deleted by range, and a counter.
 */
final class Workload {
    private static final int BLOB_LIFE = 15;
    private static final int FACTS_PER_RANGE = 40;
    private static final byte[] COUNTER = {2, 0};
    private static final byte BLOB = 1;
    private static final byte FACT = 2;

    private final int blobBytesMax;

    Workload(int blobBytesMax) {
        this.blobBytesMax = blobBytesMax;
    }

    /** The batch with this number, counted from 1. */
    StoreBatch batch(int number) {
        StoreBatch batch = new StoreBatch();
        batch.put(key(BLOB, number), blob(number));
        if (number > BLOB_LIFE && isShortLived(number - BLOB_LIFE)) {
            batch.deleteOnce(key(BLOB, number - BLOB_LIFE));
        }
        batch.put(key(FACT, number), Slice.utf8("fact " + number));
        if (number % FACTS_PER_RANGE == 0) {
            batch.deleteRange(key(FACT, 0), key(FACT, number));
        }
        batch.put(COUNTER, Slice.of(ByteBuffer.allocate(4).putInt(number).array()));
        batch.requireDurable();
        return batch;
    }

    /** How many batches the store holds the effect of; fails unless its content is exactly that of such a prefix. */
    int prefixIn(EntryStore store) {
        TreeMap<byte[], Slice> found = new TreeMap<>(Arrays::compareUnsigned);
        store.scanNow(new byte[] {2}, new byte[] {3}, (key, value) -> {
            found.put(key, value);
            return true;
        });
        Slice counter = found.remove(COUNTER);
        int number = counter == null ? 0 : ByteBuffer.wrap(counter.toArray()).getInt();
        TreeMap<byte[], Slice> expected = contentAfter(number);
        if (!found.equals(expected)) {
            throw new AssertionError("content of " + found.size() + " pairs is not that after batch " + number
                    + ", which has " + expected.size());
        }
        return number;
    }

    private TreeMap<byte[], Slice> contentAfter(int batches) {
        TreeMap<byte[], Slice> content = new TreeMap<>(Arrays::compareUnsigned);
        for (int number = 1; number <= batches; number++) {
            boolean isDeleted = isShortLived(number) && number + BLOB_LIFE <= batches;
            if (!isDeleted) {
                content.put(key(BLOB, number), blob(number));
            }
        }
        for (int number = batches - batches % FACTS_PER_RANGE; number <= batches; number++) {
            if (number > 0) {
                content.put(key(FACT, number), Slice.utf8("fact " + number));
            }
        }
        return content;
    }

    private static boolean isShortLived(int number) {
        return number % 10 != 0;
    }

    private Slice blob(int number) {
        Random random = new Random(number);
        byte[] bytes = new byte[1 + random.nextInt(blobBytesMax)];
        random.nextBytes(bytes);
        return Slice.of(bytes);
    }

    private static byte[] key(byte kind, int number) {
        return ByteBuffer.allocate(6).put((byte) 2).put(kind).putInt(number).array();
    }
}
