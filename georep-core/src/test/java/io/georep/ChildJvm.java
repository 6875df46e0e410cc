package io.georep;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process that runs a class of these tests and prints a line per event. */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    /**
     * Starts it.
     *
     * @param heapMiB its largest heap; it ends when that is full
     */
    public ChildJvm(int heapMiB, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMiB + "m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        lines = new BufferedReader(process.inputReader(StandardCharsets.UTF_8));
    }

    /** Runs it to its end, and returns what it printed, without the line's end. */
    public static String outputOf(Class<?> main, String... arguments) throws Exception {
        try (ChildJvm child = new ChildJvm(512, main, arguments)) {
            String output = String.join("\n", child.lines.lines().toList());
            if (!child.process.waitFor(60, TimeUnit.SECONDS) || child.process.exitValue() != 0) {
                throw new AssertionError(main + " failed: " + output);
            }
            return output;
        }
    }

    public long pid() {
        return process.pid();
    }

    /** The next line, or null once the process has ended. */
    public String line() throws IOException {
        return lines.readLine();
    }

    /** Ends it with SIGKILL and returns the lines it had still printed. */
    public List<String> kill() throws Exception {
        // Not Process.destroyForcibly, which would also throw away what the process has printed.
        process.toHandle().destroyForcibly();
        List<String> rest = lines.lines().toList();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + pid() + " does not end");
        }
        return rest;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
