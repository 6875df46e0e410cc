package io.georep.comparison;

import io.georep.bench.process.MachineMeter;
import io.georep.bench.process.ProcessMeter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What the processes below this one use of the machine, servers of products and their own children included; and what crosses the
 * loopback interface. Known on Linux only.
 *
 * @param nanos when it was looked at
 * @param cpuNanos processor time of all processes below this one so far
 * @param busyNanos processor time of the whole machine so far
 * @param loopbackBytes bytes over the loopback interface so far
 */
record MachineUse(long nanos, long cpuNanos, long busyNanos, long loopbackBytes) {
    /** Every Linux that Java runs on counts a hundred ticks in a second. */
    private static final long TICK_NANOS = 10_000_000;

    /** Places behind the name in {@code stat}: user, system, and both of children that have ended. */
    private static final int FIRST_TIME = 11;

    private static final int TIMES = 4;

    static MachineUse now() throws IOException {
        long cpu = 0;
        for (long pid : below()) {
            cpu += cpuNanos(read("/proc/" + pid + "/stat"));
        }
        return new MachineUse(System.nanoTime(), cpu, MachineMeter.busyNanos(), loopback(read("/proc/net/dev")));
    }

    MachineUse since(MachineUse before) {
        return new MachineUse(
                nanos - before.nanos,
                cpuNanos - before.cpuNanos,
                busyNanos - before.busyNanos,
                loopbackBytes - before.loopbackBytes);
    }

    /** Resident memory of all processes below this one; what several of them share counts once. */
    static long residentBytes() throws IOException {
        long bytes = 0;
        for (long pid : below()) {
            bytes += residentBytes(pid);
        }
        return bytes;
    }

    /** Of a process that another user runs, only what it has itself is told to those who may not trace it. */
    private static long residentBytes(long pid) throws IOException {
        try {
            return proportionalBytes(read("/proc/" + pid + "/smaps_rollup"));
        } catch (AccessDeniedException e) {
            return ProcessMeter.residentBytes(pid);
        }
    }

    private static List<Long> below() {
        return ProcessHandle.current().descendants().map(ProcessHandle::pid).toList();
    }

    /** Empty for a process that is gone. */
    private static String read(String file) throws IOException {
        try {
            return Files.readString(Path.of(file), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("No such process")) {
                return "";
            }
            throw e;
        }
    }

    static long cpuNanos(String stat) {
        if (stat.isEmpty()) {
            return 0;
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return TICK_NANOS
                * LongStream.range(FIRST_TIME, FIRST_TIME + TIMES)
                        .map(each -> Long.parseLong(fields[(int) each]))
                        .sum();
    }

    static long loopback(String devices) {
        return devices.lines()
                .map(String::strip)
                .filter(line -> line.startsWith("lo:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring("lo:".length()).strip().split(" +", -1)[0]))
                .sum();
    }

    static long proportionalBytes(String rollup) {
        return rollup.lines()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .sum();
    }
}
