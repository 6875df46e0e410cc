package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The properties of docs/use/connectors.md do what the page says. */
@Timeout(180)
class ConnectorsPageTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```properties\\n(.*?)^```$");

    private static final Pattern JSON = Pattern.compile("(?ms)^```json\\n(.*?)^```$");
    private static final Path PAGE = Path.of("..", "docs", "use", "connectors.md");

    @TempDir
    Path directory;

    private static List<String> blocks() throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(PAGE));
        while (block.find()) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    private ApplicationContextRunner application(String block) {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withPropertyValues(
                        block.replace("/var/log", directory.toString()).strip().split("\n"));
    }

    @Test
    void everyBlockIsRun() throws IOException {
        assertThat(blocks()).hasSize(2);
    }

    @Test
    void theSinkAppendsEachEntryToTheFile() throws IOException {
        application(blocks().get(0)).run(context -> {
            assertThat(context).hasNotFailed();
            Outbox<byte[]> outbox = context.getBean(Outboxes.class).outbox("sms", byte[].class);
            outbox.sendAndWait("hello".getBytes(StandardCharsets.UTF_8), SOON);

            Path file = directory.resolve("sms.txt");
            await().atMost(SOON)
                    .until(() -> Files.exists(file) && Files.readString(file).equals("hello\n"));
        });
    }

    /** As a file, and as the value of a variable. */
    @Test
    void settingsMayBeJson() throws IOException {
        Matcher block = JSON.matcher(Files.readString(PAGE));
        assertThat(block.find()).isTrue();
        String json = block.group(1).replace("/var/log", directory.toString());
        Path settings = Files.writeString(directory.resolve("connectors.json"), json);
        List<String> alone = List.of(
                "--georep.node-id=n1",
                "--georep.durability=memory",
                "--spring.main.banner-mode=off",
                "--spring.main.web-application-type=none");
        for (String given :
                List.of("--spring.config.import=file:" + settings + "[.yaml]", "--spring.application.json=" + json)) {
            Path file = directory.resolve("sms.txt");
            Files.deleteIfExists(file);
            List<String> arguments = new ArrayList<>(alone);
            arguments.add(given);
            try (ConfigurableApplicationContext context =
                    new SpringApplication(Empty.class).run(arguments.toArray(String[]::new))) {
                Outbox<byte[]> outbox = context.getBean(Outboxes.class).outbox("sms", byte[].class);
                outbox.sendAndWait("hello".getBytes(StandardCharsets.UTF_8), SOON);

                await().atMost(SOON)
                        .until(() ->
                                Files.exists(file) && Files.readString(file).equals("hello\n"));
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        GeoRepAutoConfiguration.class,
        GeoRepConnectAutoConfiguration.class,
        JacksonAutoConfiguration.class
    })
    static class Empty {}

    @Test
    void theSourceSendsEachLine() throws IOException {
        Files.writeString(directory.resolve("in.txt"), "hello\n");
        application(blocks().get(1)).run(context -> {
            assertThat(context).hasNotFailed();
            BlockingQueue<String> lines = new LinkedBlockingQueue<>();
            context.getBean(Outboxes.class)
                    .outbox("lines", byte[].class)
                    .forward(delivery -> lines.add(new String(delivery.payload(), StandardCharsets.UTF_8)));

            assertThat(lines.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        });
    }
}
