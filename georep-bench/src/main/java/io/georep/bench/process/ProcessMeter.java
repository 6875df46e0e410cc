package io.georep.bench.process;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** What this process or another one uses of the machine. Threads, resident memory and descriptors are known on Linux only. */
public final class ProcessMeter {
    private static final Path TASKS = Path.of("/proc/self/task");

    /** One tick of {@code /proc/self/task/…/stat}: every Linux that Java runs on counts a hundred in a second. */
    private static final long TICK_NANOS = 10_000_000;

    private static final int FIELD_USER_TICKS = 11;
    private static final int FIELD_SYSTEM_TICKS = 12;

    private ProcessMeter() {}

    /** Processor time of all threads so far, the JVM's own and native ones included. */
    public static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Garbage collections so far. */
    public static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** Milliseconds they took. */
    public static long collectionMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Bytes allocated on the heap so far by the threads that still live. */
    public static long allocatedBytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }

    /** Bytes of the heap in use, garbage included. */
    public static long heapBytes() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Bytes of the heap that are in use after a garbage collection, which this asks for. */
    public static long liveHeapBytes() {
        System.gc();
        return heapBytes();
    }

    /** Largest resident memory so far, 0 when unknown. */
    public static long residentPeakBytes() {
        return statusBytes("self", "VmHWM:");
    }

    /** Resident memory now, 0 when unknown. */
    public static long residentBytes() {
        return statusBytes("self", "VmRSS:");
    }

    /** Resident memory of a process, 0 when unknown. */
    public static long residentBytes(long pid) {
        return statusBytes(Long.toString(pid), "VmRSS:");
    }

    /** Files and sockets that a process has open, 0 when unknown. */
    public static int descriptors(long pid) {
        int count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (Iterator<Path> each = open.iterator(); each.hasNext(); each.next()) {
                count++;
            }
        } catch (IOException | DirectoryIteratorException e) {
            return 0;
        }
        return count;
    }

    /** Processor time by name of thread; threads with the same name (up to numbers) count together. */
    public static Map<String, Long> threadNanos() {
        Map<String, Long> nanos = new TreeMap<>();
        if (!Files.isDirectory(TASKS)) {
            return nanos;
        }
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                addThread(task, nanos);
            }
        } catch (IOException e) {
            return nanos;
        }
        return nanos;
    }

    private static void addThread(Path task, Map<String, Long> nanos) {
        try {
            addThread(Files.readString(task.resolve("stat")), nanos);
        } catch (IOException e) {
            return; // The thread ended meanwhile.
        }
    }

    /** Adds a line of {@code stat}: the name stands in parentheses and may hold some itself, and the times follow. */
    static void addThread(String stat, Map<String, Long> nanos) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        String name = stat.substring(open + 1, close).replaceAll("[0-9]+", "N").replaceAll("[=;]", "_");
        String[] fields = stat.substring(close + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[FIELD_USER_TICKS]) + Long.parseLong(fields[FIELD_SYSTEM_TICKS]);
        nanos.merge(name, ticks * TICK_NANOS, Long::sum);
    }

    private static long statusBytes(String process, String name) {
        Path status = Path.of("/proc", process, "status");
        if (!Files.exists(status)) {
            return 0;
        }
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith(name)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
                }
            }
        } catch (IOException e) {
            return 0;
        }
        return 0;
    }
}
