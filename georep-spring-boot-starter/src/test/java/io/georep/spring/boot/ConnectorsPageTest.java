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
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The properties of docs/connectors.md do what the page says. */
@Timeout(60)
class ConnectorsPageTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```properties\\n(.*?)^```$");

    @TempDir
    Path directory;

    private static List<String> blocks() throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(Path.of("..", "docs", "connectors.md")));
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

    @Test
    void theSourceSendsEachLine() throws IOException {
        Files.writeString(directory.resolve("in.txt"), "hello\n");
        application(blocks().get(1)).run(context -> {
            assertThat(context).hasNotFailed();
            BlockingQueue<String> lines = new LinkedBlockingQueue<>();
            context.getBean(Outboxes.class)
                    .outbox("lines", byte[].class)
                    .forward(delivery -> lines.add(new String(delivery.payload(), StandardCharsets.UTF_8)));

            assertThat(lines.poll(15, TimeUnit.SECONDS)).isEqualTo("hello");
        });
    }
}
