package io.georep.bench.micro;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a node notes about its entries when they end in another order than they came in: sets of numbers fall into pieces
 * and grow together again. One node without peers, so that nothing else is in the way.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LedgerBenchmark {
    private static final int ENTRIES = 1_000;
    private static final int PER_TURN = 10;

    /** In which order entries are forwarded. */
    public enum Order {
        /** As they were put. */
        AS_PUT,
        /** Shuffled. */
        RANDOM
    }

    /** In which order entries are forwarded. */
    @Param
    public Order order = Order.AS_PUT;

    private final Slice payload = Slice.of(BenchmarkPayload.bytes(300));
    private final Random random = new Random(1);
    private final SteppedApplication application = new SteppedApplication(false);
    private final SteppedCluster cluster = SteppedCluster.start(1, application);

    /** A thousand entries put in one turn, forwarded in a hundred turns of ten. */
    @Benchmark
    public void endEntries() {
        application.put(ENTRIES, 0, payload);
        cluster.run(application::hasAll);
        List<EntryId> ids = application.takeDelivered();
        if (order == Order.RANDOM) {
            Collections.shuffle(ids, random);
        }
        for (int from = 0; from < ids.size(); from += PER_TURN) {
            application.forwarded(new ArrayList<>(ids.subList(from, Math.min(ids.size(), from + PER_TURN))));
            cluster.settle();
        }
    }

    /** Requires that all entries are over. */
    @TearDown(Level.Iteration)
    public void check() {
        cluster.requireEmpty();
    }
}
