package io.georep.comparison;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Server processes of a product, with a log each. Closing ends them by their own handles, with all that they started; if this JVM
 * is told to stop before, a shutdown hook does. Thread-safe.
 */
final class QueueServers implements AutoCloseable {
    private static final long END_SECONDS = 10;
    private static final long COMMAND_SECONDS = 120;
    private static final long LOOK_MILLIS = 100;
    private static final int LOG_LINES = 40;

    private final Path directory;
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final Thread hook = new Thread(this::end, "servers-ender");
    private boolean ended;

    QueueServers(Path directory) {
        this.directory = directory;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    Path directory() {
        return directory;
    }

    /** Starts a server that stays in the foreground. */
    synchronized Process start(String name, List<String> command, Map<String, String> environment) throws IOException {
        if (ended) {
            throw new IllegalStateException("the servers have ended");
        }
        Process process = launch(name, command, environment);
        processes.put(name, process);
        return process;
    }

    /** Ends a server at once, if there is one of this name. */
    synchronized void kill(String name) {
        Process process = processes.get(name);
        if (process != null) {
            endAll(process, true);
        }
    }

    /** Runs a command that ends by itself. */
    void run(String name, List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Process process = launch(name, command, environment);
        if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
            endAll(process, true);
            throw failed(name, "did not end within " + COMMAND_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            throw failed(name, "ended with exit code " + process.exitValue());
        }
    }

    private Process launch(String name, List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(name).toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    /** Waits until the log of a server has this text. */
    void awaitLog(String name, Process process, String text, int seconds) throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!Files.readString(log(name)).contains(text)) {
            if (!process.isAlive()) {
                throw failed(name, "ended at its start");
            }
            if (System.nanoTime() > until) {
                throw failed(name, "did not say '" + text + "' within " + seconds + " s");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private IOException failed(String name, String what) throws IOException {
        List<String> lines = Files.readAllLines(log(name));
        return new IOException(name + " " + what + "; the end of its log:" + System.lineSeparator()
                + String.join(
                        System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size())));
    }

    private synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        processes.values().forEach(each -> endAll(each, false));
        for (Process each : processes.values()) {
            try {
                if (!each.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    endAll(each, true);
                }
            } catch (InterruptedException e) {
                endAll(each, true);
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends a server and what it started: a script leaves its server behind when only the script is ended. */
    static void endAll(Process process, boolean atOnce) {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(each -> {
            if (atOnce) {
                each.destroyForcibly();
            } else {
                each.destroy();
            }
        });
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // The hook runs or has run.
        }
    }
}
