package io.georep.bench.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A temporary directory, the child processes that work in it and the disks mounted in it. Closing ends the children, each by
 * its own handle, and removes the disks and, unless it is to be kept, the directory. If this JVM is told to stop before, a
 * shutdown hook does the same. Thread-safe.
 */
public final class Workspace implements AutoCloseable {
    private final Path directory;
    private final List<ChildJvm> children = new ArrayList<>();
    private final Thread hook = new Thread(this::clear, "workspace-cleaner");
    private final List<SmallDisk> disks = new ArrayList<>();
    private boolean keep;
    private boolean closed;

    private Workspace(Path directory) {
        this.directory = directory;
    }

    /** Makes an empty workspace below the system's directory for temporary files. */
    public static Workspace create(String prefix) throws IOException {
        Workspace workspace = new Workspace(Files.createTempDirectory(prefix));
        Runtime.getRuntime().addShutdownHook(workspace.hook);
        return workspace;
    }

    /** Where children keep their files. */
    public Path directory() {
        return directory;
    }

    /** Bytes of all files below this name; files that come and go meanwhile may count or not. */
    public long bytes(String name) throws IOException {
        AtomicLong bytes = new AtomicLong();
        Files.walkFileTree(directory.resolve(name), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                bytes.addAndGet(attributes.size());
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                return DirectoryTree.orGone(e);
            }
        });
        return bytes.get();
    }

    /**
     * Starts a JVM on the class path of this one.
     *
     * @throws IOException when it cannot be started
     * @throws IllegalStateException when the workspace is closed
     */
    public ChildJvm start(String name, Class<?> main, List<String> jvmOptions, List<String> arguments)
            throws IOException {
        synchronized (children) {
            if (closed) {
                throw new IllegalStateException("the workspace is closed");
            }
            ChildJvm child = ChildJvm.start(name, directory, main, jvmOptions, arguments);
            children.add(child);
            return child;
        }
    }

    /**
     * Mounts a small disk below this name.
     *
     * @throws IOException when that is not possible here
     * @throws IllegalStateException when the workspace is closed
     */
    public SmallDisk disk(String name, long bytes) throws IOException {
        synchronized (children) {
            if (closed) {
                throw new IllegalStateException("the workspace is closed");
            }
            SmallDisk disk = SmallDisk.mount(directory.resolve(name), bytes);
            disks.add(disk);
            return disk;
        }
    }

    /** Leaves all files where they are at the end, for somebody to look at; what is on disks becomes files as well. */
    public void keep() {
        synchronized (children) {
            keep = true;
        }
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This JVM is stopping already, so the hook runs or has run.
            return;
        }
    }

    private void clear() {
        boolean kept;
        synchronized (children) {
            if (closed) {
                return;
            }
            closed = true;
            kept = keep;
            for (ChildJvm child : children) {
                if (child.alive()) {
                    child.kill();
                }
            }
        }
        try {
            for (SmallDisk disk : disks) {
                end(disk, kept);
            }
            if (!kept) {
                DirectoryTree.delete(directory);
            }
        } catch (IOException e) {
            System.err.println("Could not remove " + directory + ": " + e + "; please remove it by hand");
        }
    }

    private void end(SmallDisk disk, boolean kept) throws IOException {
        Path copy = directory.resolve(disk.directory().getFileName() + ".kept");
        if (kept) {
            disk.free();
            DirectoryTree.replace(disk.directory(), copy);
        }
        disk.close();
        if (kept) {
            DirectoryTree.delete(disk.directory());
            Files.move(copy, disk.directory());
        }
    }
}
