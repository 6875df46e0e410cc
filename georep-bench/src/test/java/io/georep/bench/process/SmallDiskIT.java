package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks of a given size, where they can be had: root on Linux. */
class SmallDiskIT {
    @TempDir
    Path temporary;

    @Test
    void isFullUntilItIsFreed() throws Exception {
        assumeThat(SmallDisk.available(temporary)).as("may mount a small disk").isTrue();
        try (SmallDisk disk = SmallDisk.mount(temporary.resolve("disk"), 2 << 20)) {
            Path file = disk.directory().resolve("file");

            disk.fill(500_000);
            assertThat(disk.directory().toFile().getUsableSpace()).isBetween(400_000L, 500_000L);
            disk.fill(0);
            assertThatThrownBy(() -> Files.write(file, new byte[100_000])).isInstanceOf(IOException.class);
            disk.free();

            Files.write(file, new byte[100_000]);
        }
        assertThat(temporary.resolve("disk")).isEmptyDirectory();
    }

    @Test
    void doesNotFillTheDiskBelowWhenItIsGone() throws Exception {
        assumeThat(SmallDisk.available(temporary)).as("may mount a small disk").isTrue();
        SmallDisk disk = SmallDisk.mount(temporary.resolve("disk"), 2 << 20);
        disk.close();

        assertThatThrownBy(() -> disk.fill(Long.MAX_VALUE)).hasMessageContaining("was it unmounted?");
        assertThat(disk.directory()).isEmptyDirectory();
    }

    @Test
    void workspaceRemovesItsDisks() throws Exception {
        assumeThat(SmallDisk.available(temporary)).as("may mount a small disk").isTrue();
        Workspace workspace = Workspace.create("georep-test-");
        Files.writeString(workspace.disk("node", 1 << 20).directory().resolve("log"), "x");

        workspace.close();

        assertThat(workspace.directory()).doesNotExist();
    }

    @Test
    void workspaceKeepsWhatWasOnADiskWhenAskedTo() throws Exception {
        assumeThat(SmallDisk.available(temporary)).as("may mount a small disk").isTrue();
        Workspace workspace = Workspace.create("georep-test-");
        SmallDisk disk = workspace.disk("node", 2 << 20);
        Files.writeString(disk.directory().resolve("log"), "x");
        disk.fill(0);
        workspace.keep();

        workspace.close();

        assertThat(workspace.directory().resolve("node")).isDirectoryContaining("glob:**/log");
        assertThat(Files.list(workspace.directory().resolve("node"))).hasSize(1);
        DirectoryTree.delete(workspace.directory());
    }
}
