package io.georep.spring.connect;

import io.georep.keys.KeySpace;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * Offsets for the records of one sink on this node. No offset is given twice: each boot begins above everything that earlier ones
 * may have given, which is on disk. The clock only makes the numbers of two nodes differ, and those of a node that lost its disk: a
 * boot begins at 4096 times the milliseconds of the wall clock. Thread-safe.
 */
final class OffsetNumbers {
    /** How many numbers one write to the disk is good for. */
    static final long RESERVED_AT_ONCE = 10_000_000;

    private static final int PER_MILLI_BITS = 12;
    private static final int VERSION = 1;

    private final KeySpace space;
    private final String key;
    private final Duration timeout;
    private long next;
    private long reservedBelow;

    private OffsetNumbers(KeySpace space, String key, Duration timeout, long next) {
        this.space = space;
        this.key = key;
        this.timeout = timeout;
        this.next = next;
        this.reservedBelow = next;
    }

    /** Reads what earlier boots used; blocks. */
    static OffsetNumbers open(KeySpace space, String connector, LongSupplier wallMillis, Duration timeout) {
        String key = "offsets/" + connector;
        byte[] before = await(space.get(key).toCompletableFuture(), timeout);
        long used = 0;
        if (before != null) {
            ByteBuffer record = ByteBuffer.wrap(before);
            if (before.length != 9 || record.get() != VERSION) {
                throw new ConnectException("the record of the offsets given to connector " + connector
                        + " is of another version: use the version of this library that wrote it, or a newer one");
            }
            used = record.getLong();
        }
        return new OffsetNumbers(space, key, timeout, Math.max(used, wallMillis.getAsLong() << PER_MILLI_BITS));
    }

    /** Returns the offset that comes next, without giving it. */
    synchronized long peek() {
        return next;
    }

    /**
     * Gives numbers in a row that are higher than all before, and returns the first. Once in ten million numbers this
     * waits for the disk.
     */
    synchronized long next(int count) {
        if (reservedBelow - next < count) {
            long below = next + Math.max(count, RESERVED_AT_ONCE);
            byte[] record =
                    ByteBuffer.allocate(9).put((byte) VERSION).putLong(below).array();
            await(space.put(key, record).toCompletableFuture(), timeout);
            reservedBelow = below;
        }
        long first = next;
        next += count;
        return first;
    }

    private static <V extends @Nullable Object> V await(
            java.util.concurrent.CompletableFuture<V> stage, Duration timeout) {
        try {
            return stage.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new ConnectException("the offsets of the connector cannot be read or written: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while reading or writing the offsets of the connector", e);
        }
    }
}
