package io.georep.bench.micro;

import io.georep.model.Slice;
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
 * The whole life of entries in protocols, codec and loop, without threads, sockets and disks: put on one node, copied to
 * f others, acknowledged, handed out, forwarded, deleted everywhere.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ProtocolStepBenchmark {
    private static final int NODES = 3;

    /** Entries put with one hand-over. */
    @Param({"1", "10", "100", "1000"})
    public int entries;

    /** Copies on other nodes. */
    @Param({"0", "1", "2"})
    public int f;

    private final Slice payload = Slice.of(BenchmarkPayload.bytes(300));
    private final SteppedApplication application = new SteppedApplication(true);
    private final SteppedCluster cluster = SteppedCluster.start(NODES, application);

    /** One group of entries from put to deleted everywhere. */
    @Benchmark
    public void lifeOfEntries() {
        application.put(entries, f, payload);
        cluster.run(application::hasAll);
    }

    /** Requires that every entry came through and nothing was left. */
    @TearDown(Level.Iteration)
    public void check() {
        cluster.requireEmpty();
    }
}
