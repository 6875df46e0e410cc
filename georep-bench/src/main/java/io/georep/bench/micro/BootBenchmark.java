package io.georep.bench.micro;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
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

/** What a node reads and replays at its start when half of its entries wait and half are over. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class BootBenchmark {
    private static final int PER_TURN = 100;

    /** A store that is read at boot and forgets what is written. */
    private static final class ReadOnlyStore implements EntryStore {
        private final MemoryStore content;
        private @Nullable Listener listener;
        private long batches;

        ReadOnlyStore(MemoryStore content) {
            this.content = content;
        }

        @Override
        public void scanNow(byte[] from, byte[] to, Visitor visitor) {
            content.scanNow(from, to, visitor);
        }

        @Override
        public void start(Listener started) {
            listener = started;
        }

        @Override
        public void submit(StoreBatch batch) {
            Objects.requireNonNull(listener, "started").durable(++batches);
        }

        @Override
        public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
            throw new UnsupportedOperationException("no handler, so nothing is read");
        }

        @Override
        public void close() {}
    }

    /** Entries put before the restart; half of them wait. */
    @Param({"1000", "100000"})
    public int entries;

    private MemoryStore content = new MemoryStore(Runnable::run);

    /** Lets a node put entries and forward every second one, then stops it. */
    @Setup
    public void fill() {
        content = new MemoryStore(Runnable::run);
        SteppedApplication application = new SteppedApplication(false);
        SteppedCluster cluster = SteppedCluster.start(content, application);
        Slice payload = Slice.of(BenchmarkPayload.bytes(300));
        for (int done = 0; done < entries; done += PER_TURN) {
            application.put(Math.min(PER_TURN, entries - done), 0, payload);
            cluster.run(application::hasAll);
            List<EntryId> odd = new ArrayList<>();
            for (EntryId id : application.takeDelivered()) {
                if (id.sequence() % 2 == 1) {
                    odd.add(id);
                }
            }
            application.forwarded(odd);
            cluster.settle();
        }
        content.close();
        content = content.reopen();
    }

    /** From the opened store to a node that may talk to others. */
    @Benchmark
    public long boot() {
        SteppedCluster cluster = SteppedCluster.start(new ReadOnlyStore(content), new SteppedApplication(false));
        long waiting = cluster.origin().outbox().inspect().liveCount();
        if (waiting != entries / 2) {
            throw new IllegalStateException(waiting + " entries wait, put and not forwarded were " + entries / 2);
        }
        return waiting;
    }
}
