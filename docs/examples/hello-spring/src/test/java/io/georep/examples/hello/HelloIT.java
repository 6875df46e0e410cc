package io.georep.examples.hello;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does what the page says, with the jar that its first command builds. */
@Timeout(240)
class HelloIT {
    private static final List<String> NODES = List.of("ams", "nyc", "sgp");
    private static final String ENDED = "(ended)";

    @TempDir
    private Path directory;

    private final int firstPort = FreePort.findRange(NODES.size());
    private final List<Hello> started = new ArrayList<>();

    @AfterEach
    void stopAll() {
        started.forEach(each -> each.process.destroyForcibly());
        started.forEach(each -> each.process.onExit().join());
    }

    @Test
    void whoIsLeftForwardsWhatTheKilledOneWasForwarding() throws Exception {
        NODES.forEach(node -> started.add(new Hello(node)));
        Hello ams = started.get(0);
        for (Hello each : started) {
            each.await("ready, type a message");
        }
        ams.typeUntilAccepted("Hello, world");
        ams.await("forwarding: Hello, world");

        ams.process.destroyForcibly();

        String adopted = firstOf("adopted from ams: Hello, world", started.get(1), started.get(2));
        assertThat(adopted).isNotEqualTo("ams");
        started.get(NODES.indexOf(adopted)).await("forwarded: Hello, world");

        Hello again = new Hello("ams");
        started.add(again);
        again.await("ready, type a message");
        again.typeUntilAccepted("Once more");
        again.await("forwarding: Once more");
        assertThat(again.all).doesNotContain("forwarding: Hello, world");
    }

    /** The page shows the commands and the lines that this test knows. */
    @Test
    void thePageSaysTheSame() throws Exception {
        String page = Files.readString(Path.of("README.md"));
        assertThat(page)
                .contains("-pl docs/examples/hello-spring")
                .contains("java -jar docs/examples/hello-spring/target/hello.jar --spring.profiles.active=")
                .contains("ready, type a message", "accepted: Hello, world", "forwarding: Hello, world")
                .contains("adopted from ams: Hello, world", "forwarded: Hello, world");
        for (String file :
                List.of("java/io/georep/examples/hello/HelloApplication.java", "resources/application.properties")) {
            assertThat(Path.of("src/main", file)).exists();
            assertThat(page).contains("src/main/" + file);
        }
    }

    private static String firstOf(String line, Hello one, Hello other) throws InterruptedException {
        while (true) {
            for (Hello each : List.of(one, other)) {
                if (each.prints(line, 100)) {
                    return each.node;
                }
            }
        }
    }

    /** A process, and the lines it has printed that nobody has waited for yet. */
    private final class Hello {
        private final String node;
        private final Process process;
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private final List<String> all = new ArrayList<>();

        Hello(String node) {
            this.node = node;
            try {
                process = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-jar",
                                Path.of("target", "hello.jar").toAbsolutePath().toString(),
                                "--spring.profiles.active=" + node,
                                // Half of what the page says: time enough to be killed in.
                                "--hello.takes=15s",
                                "--georep.port=" + (firstPort + NODES.indexOf(node)),
                                "--georep.seeds=localhost:" + firstPort + ",localhost:" + (firstPort + 1))
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread reader = new Thread(() -> {
                try (Stream<String> printed = process.inputReader().lines()) {
                    printed.forEach(lines::add);
                } catch (UncheckedIOException e) {
                    lines.add(e.toString());
                }
                lines.add(ENDED);
            });
            reader.setDaemon(true);
            reader.start();
        }

        /** Until nodes have met, sends are refused. */
        void typeUntilAccepted(String message) throws Exception {
            String answer;
            do {
                process.outputWriter().write(message + "\n");
                process.outputWriter().flush();
                answer = next("accepted: ", "refused: ");
            } while (answer.startsWith("refused: "));
        }

        void await(String line) throws InterruptedException {
            next(line);
        }

        boolean prints(String line, long millis) throws InterruptedException {
            String printed = lines.poll(millis, TimeUnit.MILLISECONDS);
            all.add(String.valueOf(printed));
            return line.equals(printed);
        }

        private String next(String... beginnings) throws InterruptedException {
            while (true) {
                String printed = lines.poll(120, TimeUnit.SECONDS);
                all.add(String.valueOf(printed));
                assertThat(printed)
                        .as("%s, which printed %s", node, all)
                        .isNotNull()
                        .isNotEqualTo(ENDED);
                if (Stream.of(beginnings).anyMatch(printed::startsWith)) {
                    return printed;
                }
            }
        }
    }
}
