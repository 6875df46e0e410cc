package io.georep.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What something costs again and again over a long life, and whether it costs more in the last tenth of it than in the
 * second: in the first, things warm up. Counts, allocated bytes among them, may differ by 5 %; processor time, of which the
 * median counts, by a factor, since the machine is shared; the heap that is live after a collection by 5 % and a little.
 * {@code -Dgeorep.endurance.print=true} prints the curve as a table.
 */
public final class LifeCurve {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final boolean PRINTED = Boolean.getBoolean("georep.endurance.print");
    private static final double TIME_FACTOR = 2.5;
    private static final long TIME_SLACK_NANOS = 50_000;
    private static final long HEAP_SLACK_BYTES = 1 << 20;
    private static final int TENTHS = 10;

    private final String life;
    private final String age;
    private final int points;
    private final List<String> counts;
    private final List<long[]> values = new ArrayList<>();
    private final List<Long> nanos = new ArrayList<>();
    private final List<Long> ages = new ArrayList<>();
    private final long[] liveHeap = new long[TENTHS];
    private long nanosBefore;
    private long bytesBefore;
    private long nanosNow;
    private long bytesNow;

    /**
     * A curve without points.
     *
     * @param life what it is the life of
     * @param age what its age is counted in
     * @param points how many points there will be
     * @param counts names of what is counted for each of them
     */
    public LifeCurve(String life, String age, int points, String... counts) {
        this.life = life;
        this.age = age;
        this.points = points;
        this.counts = List.of(counts);
    }

    /** What this thread uses from here to {@link #end} counts for the next point. */
    public void begin() {
        bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
        nanosBefore = THREADS.getCurrentThreadCpuTime();
    }

    /** See {@link #begin}; both may be called several times for a point. */
    public void end() {
        nanosNow += THREADS.getCurrentThreadCpuTime() - nanosBefore;
        bytesNow += THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
    }

    /** Adds a point. */
    public void add(long atAge, long... counted) {
        long[] all = new long[counts.size() + 1];
        System.arraycopy(counted, 0, all, 0, counts.size());
        all[counts.size()] = bytesNow;
        values.add(all);
        nanos.add(nanosNow);
        ages.add(atAge);
        nanosNow = 0;
        bytesNow = 0;
        int tenth = values.size() / (points / TENTHS) - 1;
        boolean ends = values.size() % (points / TENTHS) == 0 && tenth < TENTHS;
        if (ends && (PRINTED || tenth == 1 || tenth == TENTHS - 1)) {
            liveHeap[tenth] = liveHeapBytes();
        }
    }

    /** The serial collector leaves no dead space behind only every fourth time. */
    private static long liveHeapBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    private IntStream of(int tenth) {
        int size = points / TENTHS;
        return IntStream.range(tenth * size, (tenth + 1) * size);
    }

    private long sum(int column, int tenth) {
        return of(tenth).mapToLong(point -> values.get(point)[column]).sum();
    }

    private long medianNanos(int tenth) {
        List<Long> sorted = of(tenth).mapToObj(nanos::get).sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    /** Fails when the last tenth costs more than the second. */
    public void assertFlat() {
        assertThat(values).hasSizeGreaterThanOrEqualTo(points);
        String curve = table();
        if (PRINTED) {
            System.out.println(curve);
        }
        for (int column = 0; column <= counts.size(); column++) {
            String name = column < counts.size() ? counts.get(column) : "bytes allocated";
            assertThat((double) sum(column, TENTHS - 1))
                    .as("%s of %s%n%s", name, life, curve)
                    .isLessThanOrEqualTo(sum(column, 1) * 1.05 + 10);
        }
        assertThat((double) medianNanos(TENTHS - 1))
                .as("processor time of %s%n%s", life, curve)
                .isLessThanOrEqualTo(medianNanos(1) * TIME_FACTOR + TIME_SLACK_NANOS);
        assertThat((double) liveHeap[TENTHS - 1])
                .as("live heap of %s%n%s", life, curve)
                .isLessThanOrEqualTo(liveHeap[1] * 1.05 + HEAP_SLACK_BYTES);
    }

    private String table() {
        List<String> head = new ArrayList<>(List.of(age));
        head.addAll(counts);
        head.addAll(List.of("bytes allocated", "CPU us", "live heap MiB"));
        StringBuilder text = new StringBuilder(life).append('\n').append(row(head));
        text.append(row(head.stream().map(name -> "---:").toList()));
        int size = points / TENTHS;
        for (int i = 0; i < TENTHS; i++) {
            int tenth = i;
            List<String> cells = new ArrayList<>(List.of(count(ages.get((tenth + 1) * size - 1))));
            IntStream.rangeClosed(0, counts.size()).forEach(column -> cells.add(count(sum(column, tenth) / size)));
            cells.add(String.format(Locale.ROOT, "%.1f", medianNanos(tenth) / 1e3));
            cells.add(liveHeap[tenth] == 0 ? "" : String.format(Locale.ROOT, "%.2f", liveHeap[tenth] / 1048576.0));
            text.append(row(cells));
        }
        return text.toString();
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String row(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
