package io.georep.bench.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What this build would publish: the phase {@code pre-integration-test} deploys it to a folder. */
final class Staged {
    static final Path REPOSITORY = Path.of(property("georep.staging")).toAbsolutePath();

    private Staged() {}

    /** A property that the pom gives to the integration tests. */
    static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), () -> name + " is not set: run ./mvnw verify");
    }

    /** The names of what is published. */
    static List<String> artifacts() throws IOException {
        Path group = REPOSITORY.resolve(Path.of("io", "georep"));
        assertThat(group)
                .as("run ./mvnw verify -pl georep-bench -am, which fills it")
                .isDirectory();
        try (Stream<Path> artifacts = Files.list(group)) {
            return artifacts.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    /** Files of an artifact with this ending, without checksums. */
    static List<Path> files(String artifact, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(REPOSITORY.resolve(Path.of("io", "georep", artifact)))) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }
}
