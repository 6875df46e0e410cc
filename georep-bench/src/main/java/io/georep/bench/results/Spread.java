package io.georep.bench.results;

import java.util.Collection;
import java.util.Locale;

/**
 * Several measurements of the same.
 *
 * @param min smallest
 * @param median the one in the middle, or the mean of the two there
 * @param max largest
 */
record Spread(double min, double median, double max) {
    /** Of at least one. */
    static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }

    /** In a unit that is so many times as large. */
    Spread over(double unit) {
        return new Spread(min / unit, median / unit, max / unit);
    }

    /** The median, and smallest and largest where they are not written alike. */
    String text() {
        String middle = number(median);
        String low = number(min);
        String high = number(max);
        return low.equals(middle) && high.equals(middle) ? middle : low + "–**" + middle + "**–" + high;
    }

    /** Three digits are enough for what machines repeat. */
    static String number(double value) {
        if (value >= 1000) {
            double unit = Math.pow(10, Math.floor(Math.log10(value)) - 2);
            return String.format(Locale.ROOT, "%,.0f", Math.round(value / unit) * unit);
        }
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
