package io.georep.bench.micro;

import io.georep.model.Durability;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
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

/** Pages read back from a store, as a backlog is. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StoreReadBenchmark {
    private static final int PAIRS = 20_000;
    private static final int PER_BATCH = 1_000;
    private static final int PAGE = 100;

    /** The store on the heap, or RocksDB. */
    @Param({"MEMORY", "OS"})
    public Durability durability = Durability.MEMORY;

    private final SplittableRandom random = new SplittableRandom(1);
    private @Nullable StoreFixture fixture;

    /** Fills a store. */
    @Setup
    public void open() throws IOException, InterruptedException {
        StoreFixture opened = new StoreFixture(durability);
        fixture = opened;
        for (int first = 0; first < PAIRS; first += PER_BATCH) {
            StoreBatch batch = new StoreBatch();
            opened.put(batch, first, PER_BATCH);
            opened.submit(batch, 1);
        }
    }

    /** A hundred pairs of 300 bytes from anywhere. */
    @Benchmark
    public List<EntryStore.Pair> page() throws InterruptedException {
        List<EntryStore.Pair> found =
                Objects.requireNonNull(fixture, "opened").page(random.nextInt(PAIRS - PAGE), PAGE);
        if (found.size() != PAGE) {
            throw new IllegalStateException("a page of " + found.size() + " pairs instead of " + PAGE);
        }
        return found;
    }

    /** Removes the store. */
    @TearDown
    public void close() {
        Objects.requireNonNull(fixture, "opened").close();
    }
}
