package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineCountTest {
    @Test
    void countsWhatWasAddedSince(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("node-1.log");
        LineCount lines = new LineCount(file);

        assertThat(lines.count()).isZero();
        Files.writeString(file, "one\ntwo\nhal");
        assertThat(lines.count()).isEqualTo(2);
        Files.writeString(file, "f\n".repeat(100_000), StandardOpenOption.APPEND);
        assertThat(lines.count()).isEqualTo(100_002);
    }
}
