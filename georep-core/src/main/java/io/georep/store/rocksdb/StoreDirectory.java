package io.georep.store.rocksdb;

import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a store. A lock holds it from opening to closing. It says which format it has and to which node
 * and cluster it belongs, so that no directory of somebody else is touched.
 *
 * <pre>
 * georep.lock         locked while a process has the directory open
 * georep.properties   format version, node, cluster, state, encryption; replaced atomically
 * georep.mark         how far the store promised to remember (see {@link DurableMark})
 * rocksdb/            the data
 * </pre>
 */
final class StoreDirectory implements AutoCloseable {
    /** Version of the directory's layout and content if records may be encrypted. It is the highest that this build knows. */
    static final int FORMAT = 2;

    /**
     * Version if no record is encrypted. If the lines about encryption are lost from a directory of the other version, the
     * versions differ, and the directory is refused: its encrypted records are never read as plain ones.
     */
    private static final int FORMAT_PLAIN = 1;

    static final String PROPERTIES = "georep.properties";
    static final String NODE = "node";
    static final String LOCK = "georep.lock";
    static final String MARK = "georep.mark";
    static final String DATA = "rocksdb";

    private static final String CREATING = "creating";
    private static final String READY = "ready";

    private final Path root;
    private final RocksDbStoreConfig config;
    private final DirectoryLock lock;
    private boolean isNew;

    /** Read by threads other than the one that notes. */
    private volatile @Nullable EncryptionNote encryption;

    private StoreDirectory(Path root, RocksDbStoreConfig config, DirectoryLock lock) {
        this.root = root;
        this.config = config;
        this.lock = lock;
    }

    /**
     * Locks and checks a directory; one that does not exist or is empty becomes a new store.
     *
     * @throws StoreException when it cannot be used, with the reason as its kind
     */
    static StoreDirectory open(Path root, RocksDbStoreConfig config) {
        StoreDirectory directory;
        try {
            Files.createDirectories(root);
            directory = new StoreDirectory(root, config, DirectoryLock.acquire(root, root.resolve(LOCK)));
        } catch (IOException e) {
            throw notWritable(root, e);
        }
        try {
            directory.check();
            return directory;
        } catch (IOException e) {
            directory.close();
            throw notWritable(root, e);
        } catch (RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    Path root() {
        return root;
    }

    Path data() {
        return root.resolve(DATA);
    }

    Path mark() {
        return root.resolve(MARK);
    }

    /** Returns whether this directory has never held a usable store, so that nothing can be missing from it. */
    boolean isNew() {
        return isNew;
    }

    /** Notes that the store is complete. From now on, whatever is missing is damage. */
    void ready() {
        try {
            writeProperties(READY, encryption);
        } catch (IOException e) {
            throw notWritable(root, e);
        }
        isNew = false;
    }

    /** Returns what is said about the encryption of records; null if nothing in here was ever encrypted. */
    @Nullable
    EncryptionNote encryption() {
        return encryption;
    }

    /** Notes how records are encrypted from now on. If that fails, nothing has changed. */
    void note(@Nullable EncryptionNote note) throws IOException {
        if (!Objects.equals(note, encryption)) {
            writeProperties(isNew ? CREATING : READY, note);
            encryption = note;
        }
    }

    /** Releases the lock. */
    @Override
    public void close() {
        lock.close();
    }

    private void check() throws IOException {
        Path file = root.resolve(PROPERTIES);
        if (!Files.exists(file)) {
            if (Files.exists(data())) {
                throw StoreErrors.corrupt(root, PROPERTIES + " is missing");
            }
            create();
            return;
        }
        Properties properties = read(file);
        checkFormat(required(properties, "format"));
        checkBelongs(NODE, required(properties, NODE), config.nodeId().value());
        checkBelongs("cluster", required(properties, "cluster"), config.cluster());
        encryption = encryption(properties);
        if ((encryption == null) == required(properties, "format").equals(String.valueOf(FORMAT))) {
            throw StoreErrors.corrupt(
                    root, PROPERTIES + " has a format that does not fit what it says about encryption");
        }
        switch (required(properties, "state")) {
            case READY -> isNew = false;
            case CREATING -> create();
            default -> throw StoreErrors.corrupt(root, PROPERTIES + " has an unknown state");
        }
    }

    /** Starts over. What an interrupted creation left behind never held data. */
    private void create() throws IOException {
        isNew = true;
        encryption = null;
        writeProperties(CREATING, null);
        if (Files.exists(data())) {
            try (Stream<Path> files = Files.walk(data())) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectory(data());
        syncDirectory(root);
        Path parent = root.toAbsolutePath().getParent();
        if (parent != null) {
            syncDirectory(parent);
        }
    }

    private Properties read(Path file) throws IOException {
        Properties properties = new Properties();
        byte[] bytes = Files.readAllBytes(file);
        try (Reader reader = new StringReader(new String(bytes, StandardCharsets.UTF_8))) {
            properties.load(reader);
        } catch (IllegalArgumentException e) {
            throw StoreErrors.corrupt(root, PROPERTIES + " cannot be read: " + e.getMessage());
        }
        return properties;
    }

    private @Nullable EncryptionNote encryption(Properties properties) {
        try {
            return EncryptionNote.read(properties);
        } catch (IllegalArgumentException e) {
            throw StoreErrors.corrupt(root, PROPERTIES + " says nothing clear about encryption: " + e.getMessage());
        }
    }

    private String required(Properties properties, String key) {
        String value = properties.getProperty(key);
        if (value == null) {
            throw StoreErrors.corrupt(root, PROPERTIES + " has no " + key);
        }
        return value;
    }

    private void checkFormat(String text) {
        int format;
        try {
            format = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw StoreErrors.corrupt(root, PROPERTIES + " has format=" + text);
        }
        if (format > FORMAT) {
            throw new StoreException(
                    Kind.NEWER_VERSION,
                    "store in " + root + " has format " + format + ", this version knows up to " + FORMAT
                            + ": start the version of the library that wrote it, or a later one");
        }
        if (format < 1) {
            throw StoreErrors.corrupt(root, PROPERTIES + " has format=" + text);
        }
    }

    private void checkBelongs(String what, String found, String expected) {
        if (!found.equals(expected)) {
            throw new StoreException(
                    Kind.FOREIGN,
                    "store in " + root + " belongs to " + what + " '" + found + "', this is " + what + " '" + expected
                            + "': correct the configured " + what + " or the directory; a copied directory cannot"
                            + " serve another node, start that one with an empty directory");
        }
    }

    private void writeProperties(String state, @Nullable EncryptionNote note) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("format", String.valueOf(note == null ? FORMAT_PLAIN : FORMAT));
        properties.setProperty(NODE, config.nodeId().value());
        properties.setProperty("cluster", config.cluster());
        properties.setProperty("state", state);
        if (note != null) {
            note.write(properties);
        }
        StringWriter text = new StringWriter();
        properties.store(text, "Written by GeoRep: ties this directory to one node. Do not edit.");
        Path temporary = root.resolve(PROPERTIES + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(
                temporary,
                root.resolve(PROPERTIES),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        syncDirectory(root);
    }

    /** Makes created and renamed files survive a power cut; not needed, and not possible, on Windows. */
    static void syncDirectory(Path directory) throws IOException {
        if (directory.getFileSystem().getSeparator().equals("\\")) {
            return;
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static StoreException notWritable(Path root, IOException cause) {
        boolean isFull = String.valueOf(cause.getMessage()).contains("No space left");
        return new StoreException(
                isFull ? Kind.FULL : Kind.NOT_WRITABLE,
                "store directory " + root + " cannot be created or written: " + cause
                        + (isFull
                                ? "; free space on this disk"
                                : "; name a directory this process may create and write in"),
                cause);
    }
}
