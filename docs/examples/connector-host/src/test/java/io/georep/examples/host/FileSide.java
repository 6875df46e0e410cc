package io.georep.examples.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Files that nodes write to, one each, and a file that a source reads. Being always there, they cannot be stopped. */
class FileSide implements OtherSide {
    private final Path directory;
    private final String name;
    private final Ledger ledger;
    private final Map<Path, Integer> read = new HashMap<>();

    FileSide(Path directory, String name, Ledger ledger) {
        this.directory = directory;
        this.name = name;
        this.ledger = ledger;
    }

    /** Where the node {@code <node>} writes to. */
    static String out(Path directory, String name) {
        return directory.resolve(name + "-<node>.txt").toString();
    }

    /** Where the source reads from. */
    static Path in(Path directory) {
        return directory.resolve("in.txt");
    }

    @Override
    public void start() throws Exception {}

    @Override
    public void stop() throws Exception {}

    @Override
    public void collect() throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.list(directory)) {
            all = files.filter(each -> each.getFileName().toString().startsWith(name + "-"))
                    .toList();
        }
        for (Path file : all) {
            String text = Files.readString(file);
            int from = read.getOrDefault(file, 0);
            int to = text.lastIndexOf('\n') + 1;
            text.substring(from, Math.max(from, to)).lines().forEach(ledger::arrived);
            read.put(file, Math.max(from, to));
        }
    }

    /** Appends a line for the source; it is acknowledged when it is in the file. */
    synchronized CompletableFuture<Boolean> append(String payload) throws IOException {
        Files.writeString(in(directory), payload + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return CompletableFuture.completedFuture(true);
    }
}
