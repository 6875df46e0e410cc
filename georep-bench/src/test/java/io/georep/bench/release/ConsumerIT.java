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
 * repository of this build, which has it already; only the staged repository has anything of ours.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ConsumerIT {
    private static final Path APPLICATIONS = Path.of("src", "it", "consumer");
    private static final Path WORK = Path.of("target", "consumer").toAbsolutePath();

    @Test
    void whatIsPublishedIsEnoughToCompileStartAndSend() throws Exception {
        DirectoryTree.delete(WORK);
        copyApplications();

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
                Path.of(Staged.property("georep.maven.home"), "bin", "mvn").toString(),
                "--batch-mode",
                "--no-transfer-progress",
                "--offline",
                "test",
                "-Daether.offline.protocols=file",
                "-Dmaven.repo.local=" + WORK.resolve("repository"),
                "-Dmaven.repo.local.tail=" + Staged.property("georep.maven.repository"),
                "-Dstaging.url=" + Staged.REPOSITORY.toUri()));
        for (String version : Staged.property("georep.maven.versions").strip().split("\\s+")) {
            command.add("-D" + version);
        }
        return command;
    }
}
