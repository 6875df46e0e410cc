package io.georep.store.rocksdb;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process that runs a class of these tests and prints a line per event. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    ChildJvm(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
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

    long pid() {
        return process.pid();
    }

    /** The next line, or null when the process has ended. */
    String line() throws IOException {
        return lines.readLine();
    }

    /** Ends it with SIGKILL and answers the lines it had still printed. */
    List<String> kill() throws Exception {
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
