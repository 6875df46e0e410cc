package io.georep.store.rocksdb;

import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps other users, in this process or another, out of a directory. The lock file names who holds it. */
final class DirectoryLock implements AutoCloseable {
    /**
     * The directories that this JVM has locked. On Linux, closing any channel to a locked file releases the process's
     * lock on it. So a second attempt must be refused before it touches the lock file.
     */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private static final int OWNER_BYTES_MAX = 64;

    private final Path realDirectory;
    private final FileChannel channel;

    private DirectoryLock(Path realDirectory, FileChannel channel) {
        this.realDirectory = realDirectory;
        this.channel = channel;
    }

    /**
     * Locks a directory that exists.
     *
     * @throws StoreException when it is locked already
     * @throws IOException when the lock file cannot be written
     */
    static DirectoryLock acquire(Path directory, Path lockFile) throws IOException {
        Path realDirectory = directory.toRealPath();
        if (!HELD_HERE.add(realDirectory)) {
            throw locked(directory, "this process");
        }
        boolean isHeld = false;
        try {
            DirectoryLock lock = new DirectoryLock(realDirectory, lock(directory, lockFile));
            isHeld = true;
            return lock;
        } finally {
            if (!isHeld) {
                HELD_HERE.remove(realDirectory);
            }
        }
    }

    /** Releases the lock. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new StoreException(Kind.IO, "store in " + realDirectory + " could not release its lock: " + e, e);
        } finally {
            HELD_HERE.remove(realDirectory);
        }
    }

    private static FileChannel lock(Path directory, Path lockFile) throws IOException {
        FileChannel channel = FileChannel.open(
                lockFile, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean isHeld = false;
        try {
            if (!tryLock(channel)) {
                throw locked(directory, owner(channel));
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(ownName().getBytes(StandardCharsets.UTF_8)));
            isHeld = true;
            return channel;
        } finally {
            if (!isHeld) {
                channel.close();
            }
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Locked by this class as loaded by another class loader.
            return false;
        }
    }

    private static String ownName() {
        return "process " + ProcessHandle.current().pid();
    }

    private static String owner(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(OWNER_BYTES_MAX);
        channel.read(text, 0);
        String owner = new String(text.array(), 0, text.position(), StandardCharsets.UTF_8);
        return owner.isBlank() ? "another process" : owner;
    }

    private static StoreException locked(Path directory, String owner) {
        return new StoreException(
                Kind.LOCKED,
                "store in " + directory + " is open in " + owner
                        + ": stop that one, or give this node a directory of its own");
    }
}
