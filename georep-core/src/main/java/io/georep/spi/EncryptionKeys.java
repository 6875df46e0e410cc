package io.georep.spi;

import io.georep.model.ConfigurationException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a store encrypts its records with. One of them is used for writing, all of them for reading. To change the
 * key, give a new one first, and keep the older ones as long as records need them: the store says at its start which keys
 * those are, and refuses to start without one of them.
 *
 * <p>Methods are called by the store's threads, {@link #current} about once a second: they must be quick and thread-safe,
 * and must go on returning a key that they returned before.
 */
public interface EncryptionKeys {
    /** Returns the key for what is written from now on; null to write without encryption. */
    @Nullable
    EncryptionKey current();

    /** Returns the key with this id; null if there is none. */
    @Nullable
    EncryptionKey find(String id);

    /** Returns these keys for reading only: what is written from now on is not encrypted. */
    default EncryptionKeys readingOnly() {
        EncryptionKeys all = this;
        return new EncryptionKeys() {
            @Override
            public @Nullable EncryptionKey current() {
                return null;
            }

            @Override
            public @Nullable EncryptionKey find(String id) {
                return all.find(id);
            }

            @Override
            public String toString() {
                return all + ", for reading only";
            }
        };
    }

    /**
     * Returns fixed keys.
     *
     * @param current the key for writing
     * @param older further keys for reading
     * @throws ConfigurationException if two keys have the same id
     */
    static EncryptionKeys of(EncryptionKey current, EncryptionKey... older) {
        List<EncryptionKey> all = new ArrayList<>();
        all.add(current);
        all.addAll(List.of(older));
        return new KeyRing(all);
    }

    /**
     * Reads keys from a file, see {@link EncryptionKeyFile}.
     *
     * @throws ConfigurationException if the file cannot be read or holds no keys
     */
    static EncryptionKeyFile ofFile(Path file) {
        return new EncryptionKeyFile(file, Ticker.system());
    }
}
