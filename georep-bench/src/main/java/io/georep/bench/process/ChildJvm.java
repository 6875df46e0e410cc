package io.georep.bench.process;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child JVM that runs one class of this program's class path. What it prints goes to a log file, so that it never
 * blocks on a full pipe. Thread-safe.
 */
public final class ChildJvm {
    private static final Duration KILL_WITHIN = Duration.ofSeconds(10);

    private final String name;
    private final Process process;
    private final Path log;

    private ChildJvm(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a child.
     *
     * @param name what messages call it; also the name of its files
     * @param directory where its log goes, as {@code name.log}; appended to when it exists
     * @param main class with the {@code main} method
     * @param jvmOptions options of the JVM, like {@code -Xmx256m}
     * @param arguments arguments of the main method
     */
    static ChildJvm start(String name, Path directory, Class<?> main, List<String> jvmOptions, List<String> arguments)
            throws IOException {
        Path log = directory.resolve(name + ".log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + classPathFile(directory));
        command.addAll(inheritedOptions());
        command.addAll(jvmOptions);
        command.add(main.getName());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .start();
        return new ChildJvm(name, process, log);
    }

    /** The class path may be longer than a command line may be, so it goes through a file. */
    private static Path classPathFile(Path directory) throws IOException {
        Path file = directory.resolve("class-path.args");
        if (!Files.exists(file)) {
            String classPath =
                    System.getProperty("java.class.path").replace("\\", "\\\\").replace("\"", "\\\"");
            Files.writeString(file, "-cp \"" + classPath + "\"\n", StandardCharsets.UTF_8);
        }
        return file;
    }

    /** Permissions that this JVM was given and its children need as well. */
    private static List<String> inheritedOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--enable-native-access"))
                .toList();
    }

    /** What messages call it. */
    public String name() {
        return name;
    }

    /** Process id in the operating system. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process runs. */
    public boolean alive() {
        return process.isAlive();
    }

    /**
     * Ends the process at once (SIGKILL where there are signals): no shutdown hook runs, nothing is flushed.
     *
     * @throws IllegalStateException when the operating system did not end it within 10 s
     */
    public void kill() {
        process.destroyForcibly();
        if (!awaitExit(KILL_WITHIN)) {
            throw new IllegalStateException(
                    name + " (pid " + pid() + ") is still there " + KILL_WITHIN.toSeconds() + " s after its kill");
        }
    }

    /**
     * Stops all threads of the process (SIGSTOP): to others it looks like a machine behind a pulled cable.
     *
     * @throws IOException when there is no {@code kill} command, or it failed
     */
    public void freeze() throws IOException {
        signal("STOP");
    }

    /** Lets a frozen process go on (SIGCONT). */
    public void thaw() throws IOException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException {
        Process command = new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                .redirectErrorStream(true)
                .start();
        String said = new String(command.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = command.onExit().join().exitValue();
        if (exitCode != 0) {
            throw new IOException("kill -" + signal + " " + this + ": " + said.strip() + ", exit code " + exitCode);
        }
    }

    /** Waits until the process has ended; returns whether it has. */
    public boolean awaitExit(Duration atMost) {
        try {
            return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    /** Where everything goes that it and earlier children of that name printed. */
    public Path log() {
        return log;
    }

    /** The last lines of what it printed. */
    public List<String> logTail(int linesMax) {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            return List.copyOf(lines.subList(Math.max(0, lines.size() - linesMax), lines.size()));
        } catch (IOException e) {
            return List.of("(no log: " + e + ")");
        }
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }
}
