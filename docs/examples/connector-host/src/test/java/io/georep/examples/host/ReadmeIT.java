package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The settings in the README do what it says. */
@Tag("servers")
@Timeout(120)
final class ReadmeIT {
    @TempDir
    private Path directory;

    @Test
    void theHostOfTheReadmeTakesAnEntryAndAppendsItToTheFile() throws Exception {
        String readme = Files.readString(Path.of("README.md"));
        String block = readme.split("```properties\n")[1].split("```")[0];
        Map<String, String> settings = new LinkedHashMap<>();
        block.lines().map(each -> each.split("=", 2)).forEach(each -> settings.put(each[0], each[1]));
        Path file = directory.resolve("alarms.txt");
        settings.replace("georep.connectors.archive.file", file.toString());
        settings.replace("georep.data-dir", directory.resolve("data").toString());
        HostProcess host = new HostProcess("alone", directory);
        host.configure(List.of(host), List.of(), settings);
        host.start();
        try {
            host.awaitReady();

            HttpResponse<String> answer =
                    host.post("alarms", "water in the cellar").get();
            assertThat(answer.statusCode()).isEqualTo(201);
            assertThat(answer.body()).startsWith("ams-1");
            assertThat(host.post("unknown", "text").get().statusCode()).isEqualTo(404);
            assertThat(host.post("alarms", "x".repeat(300_000)).get().statusCode())
                    .isEqualTo(413);

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> Files.exists(file) && Files.readString(file).equals("water in the cellar\n"));
        } finally {
            host.kill();
        }
    }
}
