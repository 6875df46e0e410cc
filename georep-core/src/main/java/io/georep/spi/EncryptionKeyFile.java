package io.georep.spi;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encryption keys in a file of text: a line with id and key, in Base64, for each; the first is the one for writing. Empty lines,
 * and those that begin with {@code #}, do not count.
 *
 * <pre>
 * # id      key, drawn with: openssl rand -base64 32
 * 2026-07   rJ3…=
 * 2026-01   8kQ…=
 * </pre>
 *
 * <p>The file is read again every {@value #CHECK_SECONDS} seconds while a store uses it, and by {@link #reload}. If it cannot
 * be used then, the keys stay as they were, and the log and {@link #problem} say why. A key that is no longer in the file can
 * still be used for reading until the process ends. Thread-safe.
 */
public final class EncryptionKeyFile implements EncryptionKeys {
    private static final Logger LOG = LoggerFactory.getLogger(EncryptionKeyFile.class);

    private static final int CHECK_SECONDS = 30;
    private static final long CHECK_NANOS = Duration.ofSeconds(CHECK_SECONDS).toNanos();
    private static final int FILE_BYTES_MAX = 64 * 1024;

    private final Path file;
    private final Ticker ticker;
    private volatile KeyRing keys;
    private volatile @Nullable String problem;
    private volatile long checkedNanos;

    EncryptionKeyFile(Path file, Ticker ticker) {
        this.file = file;
        this.ticker = ticker;
        this.keys = read(file);
        this.checkedNanos = ticker.nanos();
    }

    @Override
    public EncryptionKey current() {
        if (ticker.nanos() - checkedNanos >= CHECK_NANOS) {
            try {
                reload();
            } catch (ConfigurationException e) {
                // Told by reload.
            }
        }
        return keys.current();
    }

    @Override
    public @Nullable EncryptionKey find(String id) {
        return keys.find(id);
    }

    /**
     * Reads the file now. What is written from now on is encrypted with the first key in it.
     *
     * @throws ConfigurationException if the file cannot be used; everything stays as it was
     */
    public synchronized void reload() {
        checkedNanos = ticker.nanos();
        try {
            KeyRing before = keys;
            KeyRing found = read(file);
            List<EncryptionKey> all = new ArrayList<>(found.all());
            for (EncryptionKey old : before.all()) {
                EncryptionKey same = found.find(old.id());
                if (same == null) {
                    all.add(old);
                } else if (!same.equals(old)) {
                    throw new ConfigurationException("encryption key '" + old.id() + "' in file " + file
                            + " is not the one that was there before: give the new key an id of its own, and put the old"
                            + " one back");
                }
            }
            keys = new KeyRing(all);
            problem = null;
            if (!found.current().equals(before.current())) {
                LOG.info(
                        "file {}: the encryption key for writing is now '{}'",
                        file,
                        found.current().id());
            }
        } catch (ConfigurationException e) {
            String text = String.valueOf(e.getMessage());
            if (!text.equals(problem)) {
                LOG.warn("the encryption keys stay as they were: {}", text);
            }
            problem = text;
            throw e;
        }
    }

    /** Returns why the file could not be used when it was last read; null if it could. */
    public @Nullable String problem() {
        return problem;
    }

    private static KeyRing read(Path file) {
        String text;
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw new ConfigurationException("file " + file + " is too large for encryption keys: name a file that"
                        + " holds a line with id and key for each, and nothing else");
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            String reason = e instanceof NoSuchFileException ? "there is no such file" : e.toString();
            throw new ConfigurationException("encryption keys cannot be read from file " + file + ": " + reason);
        }
        try {
            return parse(text);
        } catch (ConfigurationException e) {
            throw new ConfigurationException("file " + file + ": " + e.getMessage());
        }
    }

    private static KeyRing parse(String text) {
        List<EncryptionKey> keys = new ArrayList<>();
        List<String> lines = text.lines().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+", -1);
            if (words.length != 2) {
                throw new ConfigurationException("line " + (i + 1) + " has " + words.length
                        + " words, needed are an id and a key: '2026-07 ' and what 'openssl rand -base64 32' prints");
            }
            try {
                keys.add(EncryptionKey.ofBase64(words[0], words[1]));
            } catch (ConfigurationException e) {
                throw new ConfigurationException("line " + (i + 1) + ": " + e.getMessage());
            }
        }
        if (keys.isEmpty()) {
            throw new ConfigurationException("there is no encryption key in it: write a line with an id, a space and"
                    + " what 'openssl rand -base64 32' prints");
        }
        return new KeyRing(keys);
    }

    @Override
    public String toString() {
        return "encryption keys in " + file;
    }
}
