package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkspaceTest {
    /** A child that prints its argument and stays. */
    static final class Staying {
        public static void main(String[] args) throws InterruptedException {
            System.out.println("here is " + args[0]);
            new CountDownLatch(1).await();
        }
    }

    /** A child that ends by itself. */
    static final class Leaving {
        public static void main(String[] args) {
            System.out.println("here was " + args[0] + " with " + System.getProperty("extra"));
        }
    }

    @Test
    void endsChildrenAndRemovesTheDirectory() throws Exception {
        Workspace workspace = Workspace.create("georep-test-");
        ChildJvm child = workspace.start("child", Staying.class, List.of("-Xmx32m"), List.of("Ann"));
        assertThat(child.alive()).isTrue();

        workspace.close();
        workspace.close();

        assertThat(child.alive()).isFalse();
        assertThat(workspace.directory()).doesNotExist();
        assertThatThrownBy(() -> workspace.start("late", Leaving.class, List.of(), List.of("Bob")))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void leavesItsFilesWhenAskedTo() throws Exception {
        Workspace workspace = Workspace.create("georep-test-");
        Files.writeString(workspace.directory().resolve("log"), "x");
        workspace.keep();

        workspace.close();

        assertThat(workspace.directory().resolve("log")).exists();
        DirectoryTree.delete(workspace.directory());
    }

    @Test
    void keepsWhatChildrenPrintAndPassesOptions() throws Exception {
        try (Workspace workspace = Workspace.create("georep-test-")) {
            ChildJvm child =
                    workspace.start("child", Leaving.class, List.of("-Xmx32m", "-Dextra=more"), List.of("Ann"));

            assertThat(child.awaitExit(Duration.ofSeconds(30))).isTrue();

            assertThat(child.logTail(10)).contains("here was Ann with more");
            assertThat(Files.exists(workspace.directory().resolve("child.log"))).isTrue();
        }
    }

    @Test
    void countsBytesOfAllFilesBelowAName() throws Exception {
        try (Workspace workspace = Workspace.create("georep-test-")) {
            Files.createDirectories(workspace.directory().resolve("node/data"));
            Files.write(workspace.directory().resolve("node/mark"), new byte[10]);
            Files.write(workspace.directory().resolve("node/data/log"), new byte[200]);
            Files.write(workspace.directory().resolve("elsewhere"), new byte[3000]);

            assertThat(workspace.bytes("node")).isEqualTo(210);
        }
    }
}
