package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs with {@code ./mvnw -Dgroups=chaos} only. */
@Tag("chaos")
class ChaosTest {
    @Test
    void keepsAllPromises() throws Exception {
        ByteArrayOutputStream failures = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                super.println(line);
                if (line.startsWith("FAILED")) {
                    failures.writeBytes((line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8));
                }
            }
        };

        int exitCode = ChaosMain.run(System.getProperties(), out);

        // The report of a test that failed in CI has to name the seed and what it found.
        assertThat(exitCode).as(() -> failures.toString(StandardCharsets.UTF_8)).isZero();
    }
}
