package io.georep.bench.demo;

import io.georep.bench.process.Sample;
import io.georep.bench.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes use as they grow old, and whether that is more in the last tenth of their lives than in the first. Rates
 * count those processes only that ran from one reading to the next. Not thread-safe.
 */
final class AgeCurve {
    /** Processor time of a process, in nanoseconds. */
    static final String CPU = "cpu";

    /** Bytes of its heap in use after a garbage collection. */
    static final String HEAP = "heap";

    /** Bytes of its resident memory. */
    static final String RESIDENT = "resident";

    /** Bytes it sent to other nodes. */
    static final String SENT = "sent";

    /** Differences up to this do not count as growth. */
    private static final double FLAT = 0.05;

    private static final double MIB = 1 << 20;

    /**
     * A node at one moment.
     *
     * @param boot which process that was
     * @param used what the process said it had used; null when it did not answer
     * @param storedBytes size of its data directory
     */
    record Reading(long boot, @Nullable Sample used, long storedBytes) {}

    private record Point(
            double minutes,
            long entries,
            double cpuMicros,
            double sentBytes,
            double heapMiB,
            double residentMiB,
            double storedMiB) {}

    private record Column(String name, ToDoubleFunction<Point> of) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("CPU us/entry", Point::cpuMicros),
            new Column("bytes sent/entry", Point::sentBytes),
            new Column("live heap MiB", Point::heapMiB),
            new Column("resident MiB", Point::residentMiB),
            new Column("store MiB", Point::storedMiB));

    private final List<Point> points = new ArrayList<>();
    private List<Reading> before = List.of();
    private long entriesBefore;

    /** Adds the nodes, always in the same order, and what they had forwarded; returns a line about it. */
    String add(double minutes, long entries, List<Reading> readings) {
        List<Integer> lasting = IntStream.range(0, before.size())
                .filter(i -> lasts(before.get(i), readings.get(i)))
                .boxed()
                .toList();
        double share = (double) (entries - entriesBefore) * lasting.size() / Math.max(1, readings.size());
        double cpu = lasting.stream().mapToDouble(i -> grown(CPU, i, readings)).sum();
        double sent =
                lasting.stream().mapToDouble(i -> grown(SENT, i, readings)).sum();
        Point point = new Point(
                minutes,
                entries,
                share > 0 ? cpu / 1000 / share : Double.NaN,
                share > 0 ? sent / share : Double.NaN,
                mean(readings, HEAP) / MIB,
                mean(readings, RESIDENT) / MIB,
                readings.stream().mapToLong(Reading::storedBytes).average().orElse(Double.NaN) / MIB);
        if (!before.isEmpty()) {
            points.add(point);
        }
        before = List.copyOf(readings);
        entriesBefore = entries;
        return String.format(
                Locale.ROOT,
                "age: %.1f min, %,d entries, %.1f us CPU and %.0f bytes sent per entry, live heap %.2f MiB,"
                        + " resident %.1f MiB, store %.2f MiB, %d of %d processes lasted",
                minutes,
                entries,
                point.cpuMicros,
                point.sentBytes,
                point.heapMiB,
                point.residentMiB,
                point.storedMiB,
                lasting.size(),
                readings.size());
    }

    private static boolean lasts(Reading one, Reading next) {
        return one.boot == next.boot && one.used != null && next.used != null;
    }

    private double grown(String name, int node, List<Reading> readings) {
        Sample one = before.get(node).used;
        Sample next = readings.get(node).used;
        return one == null || next == null ? 0 : next.since(one).get(name);
    }

    private static double mean(List<Reading> readings, String name) {
        return readings.stream()
                .map(Reading::used)
                .filter(used -> used != null)
                .mapToLong(used -> used.get(name))
                .average()
                .orElse(Double.NaN);
    }

    /** The first, the fifth and the last tenth of all readings, and what that means; nothing for fewer than ten. */
    List<String> verdict() {
        int tenth = points.size() / 10;
        if (tenth == 0) {
            return List.of();
        }
        TextTable table = new TextTable().row("age", "first tenth", "fifth", "last", "last to first", "");
        for (Column column : COLUMNS) {
            double first = mean(column, 0, tenth);
            double last = mean(column, points.size() - tenth, points.size());
            double change = last / first - 1;
            table.row(
                    column.name,
                    String.format(Locale.ROOT, "%.2f", first),
                    String.format(Locale.ROOT, "%.2f", mean(column, 4 * tenth, 5 * tenth)),
                    String.format(Locale.ROOT, "%.2f", last),
                    String.format(Locale.ROOT, "%+.1f %%", 100 * change),
                    change > FLAT ? "GREW" : change < -FLAT ? "less" : "flat");
        }
        return table.lines();
    }

    private double mean(Column column, int from, int to) {
        return points.subList(from, to).stream()
                .mapToDouble(column.of)
                .filter(value -> !Double.isNaN(value))
                .average()
                .orElse(Double.NaN);
    }
}
