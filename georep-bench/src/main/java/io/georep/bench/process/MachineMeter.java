package io.georep.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the whole machine does, and what it is. Known on Linux only; elsewhere 0 and {@code unknown}. */
public final class MachineMeter {
    private static final Path STAT = Path.of("/proc/stat");
    private static final int USER = 1;
    private static final int IDLE = 4;
    private static final int WAITS_FOR_DISK = 5;
    private static final int STOLEN = 8;
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1) / 100;

    private MachineMeter() {}

    /** Nanoseconds so far that processors worked, for any process or for the kernel, or were taken from this machine by others. */
    public static long busyNanos() {
        try {
            return busyNanos(Files.readString(STAT));
        } catch (IOException e) {
            return 0;
        }
    }

    static long busyNanos(String stat) {
        String[] words = stat.lines().findFirst().orElse("").split(" +", -1);
        long ticks = 0;
        for (int i = USER; i < Math.min(words.length, STOLEN + 1); i++) {
            ticks += i == IDLE || i == WAITS_FOR_DISK ? 0 : Long.parseLong(words[i]);
        }
        return ticks * TICK_NANOS;
    }

    /** What a reader of figures wants to know: processor, cores, memory, kernel, JDK, commit, and today's date. */
    public static Map<String, String> description() throws IOException, InterruptedException {
        Map<String, String> description = new LinkedHashMap<>();
        description.put("processor", field("/proc/cpuinfo", "model name"));
        description.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        description.put("memory", gibibytes(field("/proc/meminfo", "MemTotal")));
        description.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        description.put("jdk", System.getProperty("java.vendor") + " " + System.getProperty("java.version"));
        description.put("commit", commit());
        description.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        return description;
    }

    /** Of what the kernel counts in kilobytes. */
    private static String gibibytes(String kilobytes) {
        return kilobytes.endsWith(" kB")
                ? Math.round(Long.parseLong(kilobytes.replace(" kB", "")) / 1048576.0) + " GiB"
                : kilobytes;
    }

    private static String field(String file, String name) {
        try {
            return Files.readString(Path.of(file))
                    .lines()
                    .filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String commit() throws InterruptedException {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--abbrev=8", "--exclude=*", "--dirty=+")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? commit : "unknown";
        } catch (IOException e) {
            return "unknown";
        }
    }
}
