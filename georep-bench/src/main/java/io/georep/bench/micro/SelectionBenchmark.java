package io.georep.bench.micro;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Choice of the owners of a group, as each policy makes it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SelectionBenchmark {
    private static final int COUNT = 2;

    /** A policy that comes with the library. */
    public enum Policy {
        /** {@link PeerSelection#random}. */
        RANDOM,
        /** {@link PeerSelection#nearest}. */
        NEAREST,
        /** {@link PeerSelection#siteAware}. */
        SITE_AWARE,
        /** {@link PeerSelection#atLeast} a distance half of the peers have. */
        FAR_ENOUGH
    }

    /** The policy. */
    @Param
    public Policy policy = Policy.RANDOM;

    /** Peers that may take copies; three to a site. */
    @Param({"3", "100"})
    public int peers;

    private final SplittableRandom random = new SplittableRandom(1);
    private List<PeerSelection.Candidate> candidates = List.of();
    private PeerSelection selection = PeerSelection.random();

    /** Makes policy and peers. */
    @Setup
    public void prepare() {
        selection = switch (policy) {
            case RANDOM -> PeerSelection.random();
            case NEAREST -> PeerSelection.nearest();
            case SITE_AWARE -> PeerSelection.siteAware();
            case FAR_ENOUGH -> PeerSelection.siteAware().atLeast(Duration.ofMillis(50), false);
        };
        candidates = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
            long rttNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(100));
            candidates.add(
                    new PeerSelection.Candidate(NodeId.of(String.format("n%03d", i)), "site-" + i / 3, rttNanos));
        }
    }

    /** Owners of one group. */
    @Benchmark
    public List<PeerSelection.Candidate> choose() {
        return selection.order(candidates, "site-0", COUNT, random);
    }

    /** Requires that the answer holds enough peers, and none twice. */
    @Setup(Level.Iteration)
    public void check() {
        List<PeerSelection.Candidate> chosen = choose();
        if (chosen.size() < COUNT || new HashSet<>(chosen).size() != chosen.size()) {
            throw new IllegalStateException(policy + " chose " + chosen);
        }
    }
}
