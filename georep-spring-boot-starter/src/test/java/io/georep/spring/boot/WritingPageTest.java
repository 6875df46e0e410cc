package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Outbox;
import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The connectors of docs/use/connectors/writing.md, compiled as they stand there, in a directory of plugins. */
@Timeout(180)
class WritingPageTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String PAGE = "docs/use/connectors/writing.md";

    @TempDir
    static Path plugins;

    @TempDir
    Path spool;

    private static String page;

    @BeforeAll
    static void compile() throws IOException {
        page = Files.readString(Path.of("..", PAGE));
        Path classes = Files.createDirectory(plugins.resolve("directory"));
        for (String kind : List.of("Sink", "Source")) {
            Path source = plugins.resolve("Directory" + kind + "Connector.java");
            Files.writeString(source, SnippetPage.file(PAGE, "class Directory" + kind + "Connector "));
            int result = ToolProvider.getSystemJavaCompiler()
                    .run(
                            null,
                            null,
                            null,
                            "-proc:none",
                            "-Xlint:all",
                            "-Werror",
                            "-classpath",
                            System.getProperty("java.class.path"),
                            "-d",
                            classes.toString(),
                            source.toString());
            assertThat(result).as(kind + " compiles").isZero();
        }
        Matcher service = Pattern.compile("\\| `(META-INF/services/[^`]+)` \\| `([^`]+)` \\|")
                .matcher(page);
        while (service.find()) {
            Path file = classes.resolve(service.group(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, service.group(2) + "\n");
        }
    }

    private ApplicationContextRunner application(String connector, String... more) {
        Matcher block = Pattern.compile("(?ms)^```properties\\n(.*?)^```$").matcher(page);
        while (block.find()) {
            if (block.group(1).contains(connector)) {
                return TestApplication.alone()
                        .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                        .withPropertyValues(block.group(1)
                                .replace("/var/spool", spool.toString())
                                .strip()
                                .split("\n"))
                        .withPropertyValues("georep.plugin-path=" + plugins)
                        .withPropertyValues(more);
            }
        }
        throw new AssertionError("no settings of " + connector);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> written() throws IOException {
        try (Stream<Path> files = Files.list(spool.resolve("out"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void theSinkWritesAFileForEachEntryAndWaitsForItsDirectory() throws Exception {
        application("com.example.DirectorySinkConnector").run(context -> {
            assertThat(context).hasNotFailed();
            Outbox<byte[]> outbox = context.getBean(Outboxes.class).outbox("letters", byte[].class);
            String id = outbox.sendAndWait(bytes("hello"), SOON).toString();
            Connectors connectors = context.getBean(Connectors.class);
            await().atMost(SOON)
                    .until(() -> connectors.byName("files").tasks().stream()
                            .anyMatch(task -> String.valueOf(task.problem()).startsWith("put is tried again")));

            Files.createDirectory(spool.resolve("out"));

            await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
            assertThat(written()).containsExactly(id.replaceAll("[^A-Za-z0-9.-]", "_"));
            assertThat(spool.resolve("out").resolve(written().get(0))).hasContent("hello");
            assertThat(context.getBean(Connectors.class).byName("files").connectorClass())
                    .isEqualTo("com.example.DirectorySinkConnector");
        });
    }

    @Test
    void theSinkSetsAsideWhatIsNoText() throws Exception {
        Files.createDirectory(spool.resolve("out"));
        application(
                        "com.example.DirectorySinkConnector",
                        "georep.connectors.files.errors.tolerance=all",
                        "georep.connectors.files.connector.class=DirectorySink",
                        "georep.connectors.files.value.converter=ByteArrayConverter",
                        "georep.connectors.files.offset.flush.interval.ms=50")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Outbox<byte[]> outbox = context.getBean(Outboxes.class).outbox("letters", byte[].class);
                    outbox.sendAndWait(bytes("hello"), SOON);
                    await().atMost(SOON).until(() -> outbox.statistics().deadLettered() == 1);
                    assertThat(written()).isEmpty();
                });
    }

    @Test
    void theSourceSendsEachFileOnceAndDeletesIt() throws Exception {
        Path in = Files.createDirectory(spool.resolve("in"));
        Files.writeString(in.resolve("first"), "hello");
        Files.writeString(in.resolve("next.part"), "not whole yet");
        BlockingQueue<String> notes = new LinkedBlockingQueue<>();
        application("com.example.DirectorySourceConnector").run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Outboxes.class)
                    .outbox("notes", byte[].class)
                    .forward(delivery -> notes.add(delivery.headers().get("connect.key") + ": "
                            + new String(delivery.payload(), StandardCharsets.UTF_8)));
            assertThat(notes.poll(20, TimeUnit.SECONDS)).isEqualTo("first: hello");
            await().atMost(SOON).until(() -> !Files.exists(in.resolve("first")));

            Files.move(in.resolve("next.part"), in.resolve("next"));
            assertThat(notes.poll(20, TimeUnit.SECONDS)).isEqualTo("next: not whole yet");
            await().atMost(SOON).until(() -> !Files.exists(in.resolve("next")));
            assertThat(context.getBean(Connectors.class).byName("spool").state())
                    .isEqualTo(State.RUNNING);
        });
        assertThat(notes).isEmpty();
    }
}
