package io.georep.examples.host.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * Live heap of two nodes in one JVM, before and while entries wait for a sink that stands still in {@code put}.
 *
 * <p>Arguments: entries (1000000), steps (4).
 */
public final class StalledSinkMain {
    private static final double MIB = 1024.0 * 1024;

    private StalledSinkMain() {}

    /** Measures and prints. */
    public static void main(String[] arguments) throws IOException {
        int entries = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
        int steps = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        NoopSink.stalled = true;
        try (MeasuredHosts hosts = MeasuredHosts.start()) {
            System.out.printf(Locale.ROOT, "0 entries wait: %.0f MiB live%n", live());
            for (int step = 1; step <= steps; step++) {
                hosts.fill(MeasuredHosts.SUNK, entries / steps);
                System.out.printf(
                        Locale.ROOT, "%,d entries wait: %.0f MiB live%n", (long) entries * step / steps, live());
            }
            NoopSink.stalled = false;
            MeasuredHosts.await("all to be forwarded", () -> NoopSink.COUNT.get() >= entries && hosts.empty());
            System.out.printf(Locale.ROOT, "forwarded: %.0f MiB live%n", live());
        }
        System.exit(0);
    }

    private static double live() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB;
    }
}
