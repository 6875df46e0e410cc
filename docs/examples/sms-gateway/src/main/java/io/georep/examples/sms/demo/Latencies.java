package io.georep.examples.sms.demo;

import java.util.Arrays;

/** Durations to take percentiles of; keeps the latest ones when there are very many. Thread-safe. */
public final class Latencies {
    private final long[] nanos;
    private int count;

    /** Keeps so many. */
    public Latencies(int max) {
        nanos = new long[max];
    }

    /** One more. */
    public synchronized void add(long duration) {
        nanos[count % nanos.length] = duration;
        count++;
    }

    /** The duration below which this part of all lies, 0 to 1; 0 when there are none. */
    public synchronized long percentile(double part) {
        int kept = Math.min(count, nanos.length);
        if (kept == 0) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(nanos, kept);
        Arrays.sort(sorted);
        return sorted[Math.min(kept - 1, (int) (part * kept))];
    }
}
