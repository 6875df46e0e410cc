package io.georep.comparison;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A process that {@link CommandLines} serve: commands go to its input, answers come from its output, and its errors go to a log. Thread-safe. */
final class RemoteProcess implements AutoCloseable {
    private static final int LOG_LINES = 40;
    private static final long END_SECONDS = 20;

    private final String name;
    private final Process process;
    private final Path log;
    private final PrintStream commands;
    private final Queue<CompletableFuture<String>> waiting = new ConcurrentLinkedQueue<>();

    RemoteProcess(String name, List<String> command, Path log) throws IOException {
        this.name = name;
        this.log = log;
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, name + "-answers");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader answers =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                CompletableFuture<String> first = waiting.poll();
                if (first == null) {
                    throw new IOException(name + " said '" + line + "' without being asked");
                } else if (line.startsWith("error ")) {
                    first.completeExceptionally(failed(line));
                } else {
                    first.complete(line);
                }
            }
        } catch (IOException e) {
            System.err.println("No more answers of " + name + ": " + e);
        }
        for (CompletableFuture<String> left = waiting.poll(); left != null; left = waiting.poll()) {
            left.completeExceptionally(failed("ended"));
        }
    }

    private IOException failed(String what) {
        return new IOException(name + ": " + what + "; the end of its log:" + System.lineSeparator() + logTail());
    }

    private String logTail() {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            return String.join(
                    System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** The line that the process prints when it can be used. To be asked for first. */
    synchronized CompletableFuture<String> ready() {
        return expect();
    }

    /** Sends a command. The answer fails if the process cannot carry it out, or ends. */
    synchronized CompletableFuture<String> ask(String command) {
        CompletableFuture<String> answer = expect();
        commands.println(command);
        return answer;
    }

    private CompletableFuture<String> expect() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        waiting.add(answer);
        if (!process.isAlive()) {
            answer.completeExceptionally(failed("is not running"));
        }
        return answer;
    }

    /** Ends it at once. */
    void kill() {
        process.destroyForcibly();
    }

    /** Closes its input, without waiting: the others may close at the same time. */
    void end() {
        commands.close();
    }

    @Override
    public void close() throws IOException {
        end();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
