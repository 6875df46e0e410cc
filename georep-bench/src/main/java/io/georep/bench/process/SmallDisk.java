package io.georep.bench.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A file system of a given size, in memory, that can be filled up and made free again. Only root may mount one, and only
 * on Linux. Used by one thread.
 */
public final class SmallDisk implements AutoCloseable {
    private static final String BALLAST = "ballast";
    private static final byte[] BLOCK = new byte[64 << 10];

    private final Path directory;
    private final long bytes;

    private SmallDisk(Path directory, long bytes) {
        this.directory = directory;
        this.bytes = bytes;
    }

    /**
     * Returns whether a small disk can be had here.
     *
     * @param scratch an existing directory in which it is tried
     */
    public static boolean available(Path scratch) {
        try (SmallDisk tried = mount(Files.createTempDirectory(scratch, "disk-"), 1 << 20)) {
            return Files.isDirectory(tried.directory());
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Mounts a disk.
     *
     * @param directory where; made if need be
     * @throws IOException when it cannot be mounted; says why
     */
    public static SmallDisk mount(Path directory, long bytes) throws IOException {
        Files.createDirectories(directory);
        run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", directory.toString());
        return new SmallDisk(directory, bytes);
    }

    /** Root of the disk. */
    public Path directory() {
        return directory;
    }

    /**
     * Takes all space but so many bytes, or all of it for 0. Others may write meanwhile.
     *
     * @throws IOException when the disk is gone: what is below it must not be filled
     */
    public void fill(long leaveBytes) throws IOException {
        if (directory.toFile().getTotalSpace() > bytes) {
            throw new IOException(directory + " is no longer a disk of its own; was it unmounted?");
        }
        try (OutputStream out = Files.newOutputStream(directory.resolve(BALLAST))) {
            while (directory.toFile().getUsableSpace() > leaveBytes) {
                out.write(BLOCK);
            }
        } catch (IOException e) {
            if (directory.toFile().getUsableSpace() >= Math.max(BLOCK.length, leaveBytes)) {
                throw e;
            }
        }
    }

    /** Gives back what {@link #fill} took. */
    public void free() throws IOException {
        Files.deleteIfExists(directory.resolve(BALLAST));
    }

    /** Unmounts the disk, which ends what is on it. No process may use it any more. */
    @Override
    public void close() throws IOException {
        run("umount", directory.toString());
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
