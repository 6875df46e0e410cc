package io.georep.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where processor time went, by thread, from flight recordings of node processes ({@code ClusterBench --jfr}): which
 * methods were on top of the stack, and under which of our methods. Samples of threads in native code are not taken
 * while they wait, and not at all in some system calls; the driver's "processor time by thread" shows those.
 */
public final class ProfileReport {
    private static final int LINES = 25;
    private static final String OURS = "io.georep.";

    /** Counts of one kind of thread. */
    private static final class ThreadProfile {
        long samples;
        final Map<String, Long> top = new HashMap<>();
        final Map<String, Long> under = new HashMap<>();
    }

    private final Map<String, ThreadProfile> threads = new TreeMap<>();
    private final Map<String, Long> allocated = new HashMap<>();
    private long samples;
    private long allocatedWeight;

    private ProfileReport() {}

    /** Arguments: recording files. */
    public static void main(String[] args) throws IOException {
        ProfileReport report = new ProfileReport();
        for (String file : args) {
            report.read(Path.of(file));
        }
        report.print();
    }

    private void read(Path file) throws IOException {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                switch (event.getEventType().getName()) {
                    case "jdk.ExecutionSample", "jdk.NativeMethodSample" -> executed(event);
                    case "jdk.ObjectAllocationSample" -> allocated(event);
                    default -> {}
                }
            }
        }
    }

    private void executed(RecordedEvent event) {
        RecordedThread thread = event.getThread("sampledThread");
        if (event.getStackTrace() == null || thread == null) {
            return;
        }
        List<RecordedFrame> frames = event.getStackTrace().getFrames();
        if (frames.isEmpty() || isWaiting(frames.get(0))) {
            return;
        }
        samples++;
        String name = String.valueOf(thread.getJavaName()).replaceAll("[0-9]+", "N");
        ThreadProfile profile = threads.computeIfAbsent(name, none -> new ThreadProfile());
        profile.samples++;
        profile.top.merge(name(frames.get(0)), 1L, Long::sum);
        Set<String> seen = new HashSet<>();
        for (RecordedFrame frame : frames) {
            if (name(frame).startsWith(OURS) && seen.add(name(frame))) {
                profile.under.merge(name(frame), 1L, Long::sum);
            }
        }
    }

    private void allocated(RecordedEvent event) {
        long weight = event.getLong("weight");
        allocatedWeight += weight;
        String site = event.getStackTrace() == null
                ? "?"
                : event.getStackTrace().getFrames().stream()
                        .map(ProfileReport::name)
                        .filter(frame -> frame.startsWith(OURS))
                        .findFirst()
                        .orElse("?");
        allocated.merge(event.getClass("objectClass").getName() + " in " + site, weight, Long::sum);
    }

    private static boolean isWaiting(RecordedFrame frame) {
        return Arrays.asList("park", "wait", "epollWait", "epollWait0", "accept")
                .contains(frame.getMethod().getName());
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    private void print() {
        threads.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue().samples, a.getValue().samples))
                .forEach(entry -> print(entry.getKey(), entry.getValue()));
        System.out.println();
        System.out.println("allocated, by class and our innermost method");
        print(allocated, allocatedWeight);
    }

    private void print(String name, ThreadProfile profile) {
        System.out.println();
        System.out.printf(
                Locale.ROOT,
                "%s: %d samples, %.1f%% of all%n",
                name,
                profile.samples,
                100.0 * profile.samples / samples);
        if (profile.samples * 100 < samples) {
            return;
        }
        System.out.println(" on top");
        print(profile.top, profile.samples);
        System.out.println(" under");
        print(profile.under, profile.samples);
    }

    private static void print(Map<String, Long> counts, long whole) {
        counts.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
                .limit(LINES)
                .forEach(entry -> System.out.printf(
                        Locale.ROOT, "  %5.1f%%  %s%n", 100.0 * entry.getValue() / whole, entry.getKey()));
    }
}
