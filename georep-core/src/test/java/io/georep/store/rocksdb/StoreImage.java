package io.georep.store.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** The files of a store, to be copied and damaged. */
record StoreImage(Path directory) {
    /** A copy of a directory as a crash would leave it, also while a store has it open. */
    static StoreImage copyOf(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Path copy = target.resolve(source.relativize(file).toString());
                // Reading the lock file of an open store would give up this process's lock on it.
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else if (!file.getFileName().toString().equals(StoreDirectory.LOCK)) {
                    Files.copy(file, copy);
                }
            }
        }
        return new StoreImage(target);
    }

    StoreImage copyTo(Path target) throws IOException {
        return copyOf(directory, target);
    }

    void delete() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** All files that opening reads: neither locks nor what RocksDB writes for people. */
    List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file ->
                            !file.getFileName().toString().matches("LOG.*|LOCK|OPTIONS.*|IDENTITY|georep\\.lock"))
                    .sorted()
                    .toList();
        }
    }

    /** The only or the newest file with a name like this. */
    Path file(String pattern) throws IOException {
        return files().stream()
                .filter(file -> file.getFileName().toString().matches(pattern))
                .reduce((first, second) -> second)
                .orElseThrow(() -> new AssertionError("no file " + pattern));
    }

    static void flip(Path file, long position, int mask) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) position] ^= (byte) mask;
        Files.write(file, bytes);
    }

    static void truncate(Path file, long size) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, (int) Math.min(size, bytes.length)));
    }

    /** Does one random harm and says which. */
    String harm(Random random) throws IOException {
        List<Path> files = files();
        Path file = files.get(random.nextInt(files.size()));
        long size = Files.size(file);
        String name = directory.relativize(file).toString();
        if (size == 0 || random.nextInt(20) == 0) {
            Files.delete(file);
            return "deleted " + name;
        }
        long position = random.nextLong(size);
        if (random.nextInt(3) == 0) {
            truncate(file, position);
            return "cut " + name + " of " + size + " at " + position;
        }
        int mask = 1 << random.nextInt(8);
        flip(file, position, mask);
        return "flipped " + mask + " in " + name + " of " + size + " at " + position;
    }
}
