package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One small round of {@code ./mvnw -Dgroups=chaos}: real processes, real kills, and a history that explains everything. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ChaosIT {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private int run(String... pairs) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("chaos.directory", directory.toString());
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty("chaos." + pairs[i], pairs[i + 1]);
        }
        return ChaosMain.run(properties, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void losesNothingAndExplainsEveryRepetition() throws Exception {
        int exitCode = run(
                "seed", "3", "rounds", "1", "round.seconds", "5", "rate", "800", "nodes", "3", "kinds", "KILL,FREEZE");

        assertThat(exitCode).as(output()).isZero();
        assertThat(output())
                .contains("-Dchaos.rounds=1 -Dchaos.seed=3", "accident 1: kill -", "proof: ", "destroyed for good")
                .containsPattern("PROOF +1 ");
        assertThat(directory.resolve("index.html")).content().contains("all promises kept", "DOWN of node-");
        String history = directory.resolve("history-3.jsonl.gz").toString();
        assertThat(run("history", history)).as("judged again").isZero();
    }

    @Test
    void saysWhichOptionIsWrong() throws Exception {
        assertThat(run("nodes", "3", "f", "3")).isEqualTo(2);
        assertThat(output()).contains("chaos.f is 3 with 3 nodes");
    }
}
