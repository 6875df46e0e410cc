package io.georep.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** What is done to whole directories. Nobody else may write to them meanwhile, unless a method says so. */
public final class DirectoryTree {
    private DirectoryTree() {}

    /**
     * Makes a directory equal to another one: what was in it is gone.
     *
     * @param from the directory to copy, which stays as it is
     * @param to where the copy goes; made if need be
     * @throws IOException when a file cannot be read, written or removed
     */
    public static void replace(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        empty(to);
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Bytes of all files in a directory, 0 when there is none; files may come and go meanwhile. */
    public static long bytes(Path root) {
        long[] sum = new long[1];
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    sum[0] += attributes.size();
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                    return orGone(e);
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + root, e);
        }
        return sum[0];
    }

    /** Removes everything in a directory, but not the directory. */
    public static void empty(Path root) throws IOException {
        delete(root, false);
    }

    /** Removes a directory and everything in it; files that vanish meanwhile are no error. */
    public static void delete(Path root) throws IOException {
        delete(root, true);
    }

    /** What to do about a file that could not be visited: one that came and went is none. */
    static FileVisitResult orGone(IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }

    private static void delete(Path root, boolean rootToo) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                return orGone(e);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                if (rootToo || !directory.equals(root)) {
                    Files.deleteIfExists(directory);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
