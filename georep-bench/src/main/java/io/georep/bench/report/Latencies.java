package io.georep.bench.report;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds, and their way between processes. */
public final class Latencies {
    private static final int DIGITS = 3;

    private Latencies() {}

    /** An empty histogram, exact to three digits. Not thread-safe. */
    public static Histogram histogram() {
        return new Histogram(DIGITS);
    }

    /** A text for {@link #parse}. */
    public static String format(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    /**
     * Reads what {@link #format} wrote.
     *
     * @throws IllegalArgumentException when it is something else
     */
    public static Histogram parse(String text) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no histogram", e);
        }
    }

    /** The milliseconds that this percentage of all does not exceed; 0 when there are none. */
    public static double millis(Histogram histogram, double percentage) {
        return histogram.getValueAtPercentile(percentage) / 1e6;
    }
}
