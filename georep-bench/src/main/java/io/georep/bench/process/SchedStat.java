package io.georep.bench.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What Linux tells of each thread of this process: for how long it ran, and for how long it waited for a processor. */
final class SchedStat {
    /** The files have the nanoseconds that a thread ran, the nanoseconds that it waited, and how often it ran. */
    private static final Path TASKS = Path.of("/proc/self/task");

    /**
     * Of a thread so far, in nanoseconds.
     *
     * @param ran on a processor
     * @param waited for one
     */
    record Times(long ran, long waited) {}

    private SchedStat() {}

    /** Returns the times by the id of the thread, of those whose names begin like this; none where it is not known. */
    static Map<String, Times> ofThreads(String names) {
        Map<String, Times> times = new HashMap<>();
        if (!Files.isDirectory(TASKS)) {
            return times;
        }
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                Times its = read(task, names);
                if (its != null) {
                    times.put(task.getFileName().toString(), its);
                }
            }
        } catch (IOException e) {
            return Map.of();
        }
        return times;
    }

    /** Nothing for a thread that is gone or does not count. */
    private static @Nullable Times read(Path task, String names) {
        try {
            if (!Files.readString(task.resolve("comm")).startsWith(names)) {
                return null;
            }
            String[] words = Files.readString(task.resolve("schedstat")).split(" ", -1);
            return new Times(Long.parseLong(words[0]), Long.parseLong(words[1]));
        } catch (IOException e) {
            return null;
        }
    }
}
