package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTreeTest {
    @TempDir
    Path temporary;

    @Test
    void replacesAllThatWasThere() throws Exception {
        Path from = Files.createDirectories(temporary.resolve("from/deep/deeper"))
                .getParent()
                .getParent();
        Path to = Files.createDirectories(temporary.resolve("to/old")).getParent();
        Files.writeString(from.resolve("deep/deeper/log"), "new");
        Files.writeString(from.resolve("mark"), "new");
        Files.writeString(to.resolve("mark"), "old");
        Files.writeString(to.resolve("old/log"), "old");

        DirectoryTree.replace(from, to);

        assertThat(to.resolve("deep/deeper/log")).hasContent("new");
        assertThat(to.resolve("mark")).hasContent("new");
        assertThat(to.resolve("old")).doesNotExist();
        assertThat(from.resolve("mark")).exists();
    }

    @Test
    void emptiesADirectoryAndLeavesIt() throws Exception {
        Files.createDirectories(temporary.resolve("node/deep"));
        Files.writeString(temporary.resolve("node/deep/log"), "x");

        DirectoryTree.empty(temporary.resolve("node"));

        assertThat(temporary.resolve("node")).isEmptyDirectory();
    }
}
