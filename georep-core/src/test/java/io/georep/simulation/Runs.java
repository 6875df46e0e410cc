package io.georep.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Many runs on all processors; worlds share nothing. */
final class Runs {
    /**
     * What so many runs amount to.
     *
     * @param repetitions how often the consumer got an entry it had
     * @param causes the same by the kind of trouble that explains them
     * @param coverage which circumstances were met
     */
    record Total(long runs, long repetitions, Map<Fault, Long> causes, Coverage.Total coverage) {}

    private Runs() {}

    /**
     * Runs seeds from {@code first} on until so many were run, or the deadline has passed, or one fails.
     *
     * @return how many runs succeeded, and what they amount to
     */
    static Total run(long first, long count, long deadlineNanos, LongFunction<SimulationOptions> options)
            throws InterruptedException {
        int threads = Runtime.getRuntime().availableProcessors();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        AtomicLong next = new AtomicLong(first);
        AtomicLong succeeded = new AtomicLong();
        AtomicLong repetitions = new AtomicLong();
        Map<Fault, Long> causes = new ConcurrentSkipListMap<>();
        Coverage.Total coverage = new Coverage.Total();
        AtomicBoolean failed = new AtomicBoolean();
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            workers.add(executor.submit(() -> {
                for (long seed = next.getAndIncrement();
                        seed < first + count && !failed.get() && System.nanoTime() - deadlineNanos < 0;
                        seed = next.getAndIncrement()) {
                    try {
                        SimulationOptions drawn = options.apply(seed);
                        // Whoever looks at a run that does not end sees which one it is.
                        Thread.currentThread().setName("seed " + drawn.seed);
                        Simulation.Result result = Simulation.run(drawn);
                        repetitions.addAndGet(result.duplicates());
                        coverage.add(result.coverage());
                        result.causes().forEach((cause, times) -> causes.merge(cause, times, Long::sum));
                        succeeded.incrementAndGet();
                    } catch (SimulationFailure e) {
                        failed.set(true);
                        throw e;
                    }
                }
            }));
        }
        executor.shutdown();
        SimulationFailure failure = null;
        for (Future<?> worker : workers) {
            try {
                worker.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof SimulationFailure broken) {
                    failure = broken;
                } else {
                    throw new AssertionError(e.getCause());
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return new Total(succeeded.get(), repetitions.get(), causes, coverage);
    }
}
