package io.georep.spring.connect;

import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.jspecify.annotations.Nullable;

/**
 * How far a source was read, in a key space of the nodes. Thread-safe.
 *
 * <p>The key of a record is {@code source/<connector>/<node, or nothing>/} and the SHA-256 of the partition; the value a version, an
 * i32 with the length of the partition, the partition, and the offset; see {@link FlatMap}.
 */
final class SourceOffsets implements OffsetStorageReader {
    private static final byte VERSION = 1;
    private static final long WAIT_SECONDS = 30;
    private static final int BATCH_CHANGES = 50;

    private final KeySpace space;
    private final byte[] prefix;

    /** {@code node}: the node whose offsets they are; null if they are for whichever node runs the source. */
    SourceOffsets(KeySpace space, String connector, @Nullable String node) {
        this.space = space;
        this.prefix = ("source/" + connector + "/" + (node == null ? "" : node) + "/").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <T> @Nullable Map<String, Object> offset(Map<String, T> partition) {
        byte[] value = await(space.get(key(FlatMap.write(partition))).toCompletableFuture());
        return value == null ? null : offset(value);
    }

    @Override
    public <T> Map<Map<String, T>, Map<String, Object>> offsets(Collection<Map<String, T>> partitions) {
        Map<Map<String, T>, Map<String, Object>> found = new HashMap<>();
        for (Map<String, T> partition : partitions) {
            Map<String, Object> offset = offset(partition);
            if (offset != null) {
                found.put(partition, offset);
            }
        }
        return found;
    }

    /**
     * Writes offsets by their partitions, and waits until they are durable on this node and on f others. A partition without
     * an offset is forgotten. Once {@code abandoned}, nothing more is written.
     *
     * @throws DataException if an offset cannot be written; the others are
     */
    void write(Map<ByteBuffer, @Nullable Map<String, ?>> offsets, BooleanSupplier abandoned) {
        KeyBatch batch = new KeyBatch();
        int changes = 0;
        DataException odd = null;
        CompletableFuture<?> last = CompletableFuture.completedFuture(null);
        for (Map.Entry<ByteBuffer, @Nullable Map<String, ?>> entry : offsets.entrySet()) {
            byte[] partition = entry.getKey().array();
            byte[] value;
            try {
                value = value(partition, entry.getValue());
            } catch (DataException e) {
                odd = e;
                continue;
            }
            // A partition and an offset of a few kilobytes each are far from the bound of a batch.
            if (changes == BATCH_CHANGES || (value != null && value.length > 2048)) {
                await(last);
                if (abandoned.getAsBoolean()) {
                    return;
                }
                last = space.write(batch).toCompletableFuture();
                batch = new KeyBatch();
                changes = 0;
            }
            if (value == null) {
                batch.delete(key(partition));
            } else {
                batch.put(key(partition), value);
            }
            changes++;
        }
        await(last);
        if (changes > 0 && !abandoned.getAsBoolean()) {
            await(space.write(batch).toCompletableFuture());
        }
        if (odd != null) {
            throw odd;
        }
    }

    private static byte @Nullable [] value(byte[] partition, @Nullable Map<String, ?> of) {
        if (of == null) {
            return null;
        }
        byte[] offset = FlatMap.write(of);
        return ByteBuffer.allocate(5 + partition.length + offset.length)
                .put(VERSION)
                .putInt(partition.length)
                .put(partition)
                .put(offset)
                .array();
    }

    private byte[] key(byte[] partition) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(partition);
            return ByteBuffer.allocate(prefix.length + digest.length)
                    .put(prefix)
                    .put(digest)
                    .array();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    private static Map<String, Object> offset(byte[] value) {
        ByteBuffer record = ByteBuffer.wrap(value);
        if (value.length < 5 || record.get() != VERSION) {
            throw new ConnectException(
                    "a stored offset of a source is damaged or of another version; this node reads version " + VERSION
                            + ": run the source on a node with a newer version of this library");
        }
        int length = record.getInt();
        if (length < 0 || length > record.remaining()) {
            throw new ConnectException("a stored offset of a source is damaged");
        }
        record.position(record.position() + length);
        byte[] offset = new byte[record.remaining()];
        record.get(offset);
        return FlatMap.read(offset);
    }

    private static <V extends @Nullable Object> V await(CompletableFuture<V> stage) {
        try {
            return stage.get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new ConnectException(
                    "the offsets of the source cannot be read or written: " + (e.getCause() == null ? e : e.getCause()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while reading or writing the offsets of the source", e);
        }
    }
}
