package io.georep.connect;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What {@code mvnw package} made for workers. */
final class PluginZip {
    private PluginZip() {}

    /** Unpacks it into a directory and returns its jars. */
    static List<Path> unpack(Path directory) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (FileSystem files = FileSystems.newFileSystem(zip());
                Stream<Path> entries = Files.list(files.getPath("georep-kafka-connect"))) {
            for (Path entry : entries.toList()) {
                jars.add(Files.copy(entry, directory.resolve(entry.getFileName().toString())));
            }
        }
        return jars;
    }

    private static Path zip() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(each -> each.getFileName().toString().matches("georep-kafka-connect-.*\\.zip"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no zip in target: run ./mvnw verify"));
        }
    }
}
