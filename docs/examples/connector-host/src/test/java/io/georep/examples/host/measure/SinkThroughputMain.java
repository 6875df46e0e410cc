package io.georep.examples.host.measure;

import com.sun.management.OperatingSystemMXBean;
import io.georep.spring.Connectors;
import io.georep.spring.OutboxListeners;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Entries per CPU-second through a sink that does nothing, and through {@code @OutboxListener} in batch mode, in turn. Entries are
 * stored first; the CPU time of the whole process, both nodes, is taken from the start of forwarding until all is forwarded and
 * deleted everywhere.
 *
 * <p>Arguments: entries per round (300000), rounds (3).
 */
public final class SinkThroughputMain {
    private static final Duration STOP = Duration.ofSeconds(10);
    private static final String SINK = "noop";

    private SinkThroughputMain() {}

    /** Measures and prints. */
    public static void main(String[] arguments) throws IOException {
        int entries = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 300_000;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        try (MeasuredHosts hosts = MeasuredHosts.start()) {
            Connectors connectors = hosts.bean(Connectors.class);
            OutboxListeners.Container listener =
                    hosts.bean(OutboxListeners.class).all().get(0);
            MeasuredHosts.Counter counter = hosts.bean(MeasuredHosts.Counter.class);
            connectors.stop(SINK);
            List<Double> listened = new ArrayList<>();
            List<Double> sunk = new ArrayList<>();
            // The first round warms up.
            for (int round = 0; round <= rounds; round++) {
                double byListener = round(
                        hosts,
                        MeasuredHosts.LISTENED,
                        entries,
                        counter.count::get,
                        listener::start,
                        () -> listener.stop(STOP));
                double bySink = round(
                        hosts,
                        MeasuredHosts.SUNK,
                        entries,
                        NoopSink.COUNT::get,
                        () -> connectors.resume(SINK),
                        () -> connectors.stop(SINK));
                System.out.printf(
                        Locale.ROOT,
                        "round %d: listener %,.0f, sink %,.0f entries per CPU-second%n",
                        round,
                        byListener,
                        bySink);
                if (round > 0) {
                    listened.add(byListener);
                    sunk.add(bySink);
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "median: listener %,.0f, sink %,.0f, ratio %.2f%n",
                    median(listened),
                    median(sunk),
                    median(sunk) / median(listened));
        }
        System.exit(0);
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }

    private static double round(
            MeasuredHosts hosts, String queue, int entries, LongSupplier count, Runnable start, Runnable stop) {
        hosts.fill(queue, entries);
        long before = count.getAsLong();
        long begin = cpuNanos();
        start.run();
        MeasuredHosts.await(
                "all entries to be forwarded", () -> count.getAsLong() - before >= entries && hosts.empty());
        long cpu = cpuNanos() - begin;
        stop.run();
        return entries / (cpu / 1e9);
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
