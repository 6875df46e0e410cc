package io.georep.bench.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What this build publishes: a pom that its {@code process-resources} wrote, and perhaps a jar. */
final class Published {
    /** Where the modules are. */
    static final Map<String, Path> MODULES = Map.of(
            "georep-bom", Path.of("..", "georep-core", "bom"),
            "georep-core", Path.of("..", "georep-core"),
            "georep-netty", Path.of("..", "georep-netty"),
            "georep-spring-boot-starter", Path.of("..", "georep-spring-boot-starter"));

    static final List<String> JARS = List.of("georep-core", "georep-netty", "georep-spring-boot-starter");

    private Published() {}

    /** A property that the pom gives to the integration tests. */
    static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), () -> name + " is not set: run ./mvnw verify");
    }

    static String version() {
        return property("georep.version");
    }

    static Path pom(String artifact) {
        return built(MODULES.get(artifact).resolve("target").resolve("published-pom.xml"));
    }

    static Path jar(String artifact) {
        return built(MODULES.get(artifact).resolve("target").resolve(artifact + "-" + version() + ".jar"));
    }

    private static Path built(Path file) {
        assertThat(file)
                .as("run ./mvnw verify -pl georep-bench -am, which makes it")
                .isRegularFile();
        return file;
    }

    /** Puts everything into a local repository of Maven, as {@code install} would. */
    static void install(Path repository) throws IOException {
        for (String artifact : MODULES.keySet()) {
            Path folder = repository.resolve(Path.of("io", "georep", artifact, version()));
            Files.createDirectories(folder);
            String name = artifact + "-" + version();
            Files.copy(pom(artifact), folder.resolve(name + ".pom"));
            if (JARS.contains(artifact)) {
                Files.copy(jar(artifact), folder.resolve(name + ".jar"));
            }
        }
    }
}
