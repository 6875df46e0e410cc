package io.georep.bench.report;

import java.util.StringJoiner;

/**
 * Counts durations with at most 1.6 % error in fixed memory.
 *
 * <p>Intuition: the seven highest bits of a value choose its bucket, so buckets are exact below 128 and grow with the
 * value above. Not thread-safe.
 */
public final class LatencyHistogram {
    private static final int BITS = 6;
    private static final int HALF = 1 << BITS;
    private static final int BUCKETS = (Long.SIZE - BITS) * HALF;

    private final long[] counts = new long[BUCKETS];
    private long total;
    private long max;

    /** Counts a duration in any unit; negative ones count as zero. */
    public void record(long value) {
        long counted = Math.max(0, value);
        counts[bucket(counted)]++;
        total++;
        max = Math.max(max, counted);
    }

    /** Adds everything another histogram counted. */
    public void add(LatencyHistogram other) {
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] += other.counts[i];
        }
        total += other.total;
        max = Math.max(max, other.max);
    }

    /** Durations counted. */
    public long total() {
        return total;
    }

    /** Largest duration. */
    public long max() {
        return max;
    }

    /**
     * The value that this share of all durations does not exceed; 0 when there are none.
     *
     * @param share from 0 to 1; 0.5 is the median
     */
    public long percentile(double share) {
        if (share < 0 || share > 1) {
            throw new IllegalArgumentException("share " + share + ", allowed are 0 to 1");
        }
        long rank = Math.max(1, (long) Math.ceil(share * total));
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return Math.min(highest(i), max);
            }
        }
        return 0;
    }

    /** A text for {@link #parse}: the largest value, then bucket and count of every bucket that is not empty. */
    public String format() {
        StringJoiner text = new StringJoiner(",");
        text.add(Long.toString(max));
        for (int i = 0; i < BUCKETS; i++) {
            if (counts[i] > 0) {
                text.add(i + "=" + counts[i]);
            }
        }
        return text.toString();
    }

    /**
     * Reads what {@link #format} wrote.
     *
     * @throws IllegalArgumentException when it is something else
     */
    public static LatencyHistogram parse(String text) {
        LatencyHistogram histogram = new LatencyHistogram();
        String[] parts = text.split(",", -1);
        histogram.max = Long.parseLong(parts[0]);
        for (int i = 1; i < parts.length; i++) {
            String[] pair = parts[i].split("=", 2);
            int bucket = Integer.parseInt(pair[0]);
            if (pair.length < 2 || bucket < 0 || bucket >= BUCKETS) {
                throw new IllegalArgumentException("'" + parts[i] + "' is not bucket=count");
            }
            histogram.counts[bucket] += Long.parseLong(pair[1]);
            histogram.total += Long.parseLong(pair[1]);
        }
        return histogram;
    }

    private static int bucket(long value) {
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(value) - BITS - 1);
        return shift * HALF + (int) (value >>> shift);
    }

    private static long highest(int bucket) {
        int shift = Math.max(0, bucket / HALF - 1);
        long lowest = (long) (bucket - shift * HALF) << shift;
        return lowest + (1L << shift) - 1;
    }
}
