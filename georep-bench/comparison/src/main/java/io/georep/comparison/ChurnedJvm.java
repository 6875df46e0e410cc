package io.georep.comparison;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A {@link ChurnNode}. Thread-safe. */
final class ChurnedJvm extends Churned {
    private final PrintStream questions;
    private final Map<Long, CompletableFuture<@Nullable String>> waiting = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    private ChurnedJvm(Process process) {
        super(process);
        questions = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        waiting.put(numbers.getAndIncrement(), ready);
        Thread reader = new Thread(this::read, "answers");
        reader.setDaemon(true);
        reader.start();
    }

    /** Makes members of a product; the very first one of a fleet founds it. */
    static Maker maker(String product, String prefix, int places, List<String> jvmOptions, Path directory)
            throws IOException {
        Path classPath = directory.resolve("class-path.args");
        Files.writeString(classPath, "-cp \"" + System.getProperty("java.class.path") + "\"\n");
        boolean[] isFounded = new boolean[1];
        return place -> {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("@" + classPath);
            command.addAll(Nodes.OPENED);
            command.addAll(jvmOptions);
            command.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", ChurnNode.class.getName()));
            command.addAll(List.of(product, "" + place, prefix, "" + places, "" + !isFounded[0]));
            isFounded[0] = true;
            Path log = directory.resolve("n" + place + ".log");
            return new ChurnedJvm(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start());
        };
    }

    private void read() {
        try (BufferedReader answers =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                String[] words = line.split(" ", -1);
                CompletableFuture<@Nullable String> asked = waiting.remove(Long.parseLong(words[0]));
                if (asked != null && words[1].equals("failed")) {
                    asked.completeExceptionally(new IOException("it says that it could not"));
                } else if (asked != null) {
                    asked.complete(words[1].equals("-") ? null : words[1]);
                }
            }
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
        waiting.values().forEach(each -> each.completeExceptionally(new IOException("it has ended")));
    }

    private CompletableFuture<@Nullable String> ask(String what) {
        long number = numbers.getAndIncrement();
        CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
        waiting.put(number, answer);
        synchronized (questions) {
            questions.println(number + " " + what);
        }
        return answer;
    }

    @Override
    CompletableFuture<@Nullable String> get(String key) {
        return ask("get " + key);
    }

    @Override
    CompletableFuture<?> put(String key, String value) {
        return ask("put " + key + " " + value);
    }
}
