package io.georep.bench.failing;

import org.openjdk.jmh.annotations.Benchmark;

/** Not a benchmark of anything: shows that one that throws is noticed. */
public class FailingBenchmark {
    /** Throws. */
    @Benchmark
    public void fail() {
        throw new IllegalStateException("on purpose");
    }
}
