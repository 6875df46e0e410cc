package io.georep.bench.micro;

import io.georep.model.Durability;
import io.georep.spi.StoreBatch;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Batches of new pairs in a store, each of which removes as many old ones, as entries come and go. {@code MEMORY} is the
 * store on the heap, {@code OS} and {@code FSYNC} are RocksDB in the directory for temporary files.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StoreBenchmark {
    private static final int BATCHES_ALIVE = 16;
    private static final int UNDER_WAY = 4;

    /** When a batch counts as durable. */
    @Param({"MEMORY", "OS", "FSYNC"})
    public Durability durability = Durability.MEMORY;

    /** Pairs of 300 bytes in a batch. */
    @Param({"1", "10", "100", "1000"})
    public int entries;

    private @Nullable StoreFixture fixture;
    private long batches;

    /** Opens an empty store. */
    @Setup
    public void open() throws IOException {
        fixture = new StoreFixture(durability);
        batches = 0;
    }

    private StoreFixture fixture() {
        return Objects.requireNonNull(fixture, "opened");
    }

    /** One batch, from its hand-over until it is durable. */
    @Benchmark
    public void commit() throws InterruptedException {
        fixture().submit(nextBatch(), 1);
    }

    /** Batch after batch with up to four under way, as the driver keeps them: what one costs where many are committed. */
    @Benchmark
    public void pipeline() throws InterruptedException {
        fixture().submit(nextBatch(), UNDER_WAY);
    }

    private StoreBatch nextBatch() {
        StoreBatch batch = new StoreBatch();
        fixture().put(batch, batches * entries, entries);
        if (batches >= BATCHES_ALIVE) {
            fixture().remove(batch, (batches - BATCHES_ALIVE) * entries, entries);
        }
        batches++;
        return batch;
    }

    /** Requires that the store holds the pairs of the last batches and no others. */
    @TearDown
    public void close() throws InterruptedException {
        StoreFixture used = fixture();
        used.awaitAll();
        int found = used.page(0, Integer.MAX_VALUE).size();
        used.close();
        long expected = Math.min(batches, BATCHES_ALIVE) * entries;
        if (found != expected) {
            throw new IllegalStateException("the store holds " + found + " pairs, " + expected + " should be left");
        }
    }
}
