package io.georep.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main method in a Java process of its own, which has other hash seeds and another heap layout. */
final class FreshProcess {
    private static final long LIMIT_SECONDS = 60;

    private FreshProcess() {}

    /** Standard output of {@code main}, without the line's end. */
    static String outputOf(Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("process failed: " + command + "\n" + output);
            }
            return output.strip();
        } finally {
            process.destroyForcibly();
        }
    }
}
