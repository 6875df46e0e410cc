package io.georep.bench.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.process.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Applications of others, in {@code src/it/consumer}: they import the BOM, depend on the published artefacts and on nothing
 * else of this build, compile, start nodes and send. A dependency that is missing in a published pom fails them.
 *
 * <p>Maven runs them offline, in a process and a local repository of their own. What is not ours comes from the local
 * repository of this build, which has it already; nothing of ours is installed there.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ConsumerIT {
    private static final Path APPLICATIONS = Path.of("src", "it", "consumer");
    private static final Path WORK = Path.of("target", "consumer").toAbsolutePath();
    private static final Path REPOSITORY = WORK.resolve("repository");

    @Test
    void whatIsPublishedIsEnoughToCompileStartAndSend() throws Exception {
        DirectoryTree.delete(WORK);
        copyApplications();
        Published.install(REPOSITORY);

        Path log = WORK.resolve("maven.log");
        Process maven = new ProcessBuilder(command())
                .directory(WORK.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(maven.waitFor(3, TimeUnit.MINUTES))
                    .as("Maven is done; its log is %s", log)
                    .isTrue();
        } finally {
            maven.destroyForcibly();
        }

        String said = Files.readString(log);
        assertThat(maven.exitValue()).as(said).isZero();
        for (String test : List.of(
                "plain/target/surefire-reports/TEST-example.TwoSitesTest.xml",
                "spring/target/surefire-reports/TEST-example.GatewayTest.xml")) {
            assertThat(WORK.resolve(test)).as(said).content().contains("tests=\"1\"", "skipped=\"0\"");
        }
    }

    private static void copyApplications() throws IOException {
        try (Stream<Path> files = Files.walk(APPLICATIONS)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = WORK.resolve(APPLICATIONS.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
        // Else Maven takes this project's folder for the root of theirs.
        Files.createDirectories(WORK.resolve(".mvn"));
    }

    private static List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(Published.property("georep.maven.home"), "bin", "mvn").toString(),
                "--batch-mode",
                "--no-transfer-progress",
                "--offline",
                "test",
                "-Dmaven.repo.local=" + REPOSITORY,
                "-Dmaven.repo.local.tail=" + Published.property("georep.maven.repository"),
                "-Dgeorep.version=" + Published.version()));
        for (String version :
                Published.property("georep.maven.versions").strip().split("\\s+")) {
            command.add("-D" + version);
        }
        return command;
    }
}
