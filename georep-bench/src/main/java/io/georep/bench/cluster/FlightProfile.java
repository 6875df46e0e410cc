package io.georep.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Samples of flight recordings, summed up by thread; threads with the same name up to numbers count together. Threads in native
 * code are sampled whether they use the processor or wait, so methods that are known to wait do not count.
 */
final class FlightProfile {
    private static final String OURS = "io.georep.";

    /** Methods that wait, by their last name: for a signal, for sockets to become ready, for a caller, for the disk. */
    private static final Set<String> WAITING =
            Set.of("park", "wait", "epollWait", "epollWait0", "accept", "accept0", "force0");

    /** Reads and writes below this class block; those of event loops do not pass it. */
    private static final String BLOCKING_SOCKET = "sun.nio.ch.NioSocketImpl.";

    /** Counts of one kind of thread. */
    static final class ThreadProfile {
        private long samples;
        private final Map<String, Long> top = new TreeMap<>();
        private final Map<String, Long> under = new TreeMap<>();

        /** Samples that did not wait. */
        long samples() {
            return samples;
        }

        /** Samples by the method on top of the stack. */
        Map<String, Long> top() {
            return Collections.unmodifiableMap(top);
        }

        /** Samples by each of our methods anywhere on the stack. */
        Map<String, Long> under() {
            return Collections.unmodifiableMap(under);
        }
    }

    private final Map<String, ThreadProfile> threads = new TreeMap<>();
    private final Map<String, Long> allocated = new TreeMap<>();
    private long samples;
    private long allocatedBytes;

    /** Adds what a recording has. */
    void read(Path file) throws IOException {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                switch (event.getEventType().getName()) {
                    case "jdk.ExecutionSample" -> sampled(event, false);
                    case "jdk.NativeMethodSample" -> sampled(event, true);
                    case "jdk.ObjectAllocationSample" ->
                        allocated(event.getClass("objectClass").getName(), stack(event), event.getLong("weight"));
                    default -> {}
                }
            }
        }
    }

    private void sampled(RecordedEvent event, boolean isNative) {
        RecordedThread thread = event.getThread("sampledThread");
        if (thread != null) {
            sampled(String.valueOf(thread.getJavaName()), stack(event), isNative);
        }
    }

    private static List<String> stack(RecordedEvent event) {
        RecordedStackTrace trace = event.getStackTrace();
        return trace == null
                ? List.of()
                : trace.getFrames().stream().map(FlightProfile::name).toList();
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    /**
     * Counts a sample of a thread.
     *
     * @param frames class and method, the top of the stack first
     * @param isNative whether the thread was in native code
     */
    void sampled(String thread, List<String> frames, boolean isNative) {
        if (frames.isEmpty() || isWaiting(frames, isNative)) {
            return;
        }
        samples++;
        ThreadProfile profile = threads.computeIfAbsent(thread.replaceAll("[0-9]+", "N"), none -> new ThreadProfile());
        profile.samples++;
        profile.top.merge(frames.get(0), 1L, Long::sum);
        Set<String> seen = new HashSet<>();
        for (String frame : frames) {
            if (frame.startsWith(OURS) && seen.add(frame)) {
                profile.under.merge(frame, 1L, Long::sum);
            }
        }
    }

    /** Counts allocated bytes for our innermost method. */
    void allocated(String className, List<String> frames, long bytes) {
        allocatedBytes += bytes;
        String site = frames.stream()
                .filter(frame -> frame.startsWith(OURS))
                .findFirst()
                .orElse("?");
        allocated.merge(className + " in " + site, bytes, Long::sum);
    }

    private static boolean isWaiting(List<String> frames, boolean isNative) {
        String top = frames.get(0);
        return WAITING.contains(top.substring(top.lastIndexOf('.') + 1))
                || (isNative && frames.stream().anyMatch(frame -> frame.startsWith(BLOCKING_SOCKET)));
    }

    Map<String, ThreadProfile> threads() {
        return Collections.unmodifiableMap(threads);
    }

    /** Bytes by class and our innermost method. */
    Map<String, Long> allocated() {
        return Collections.unmodifiableMap(allocated);
    }

    /** All samples that did not wait. */
    long samples() {
        return samples;
    }

    long allocatedBytes() {
        return allocatedBytes;
    }
}
