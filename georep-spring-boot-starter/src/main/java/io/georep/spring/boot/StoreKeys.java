package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.spi.EncryptionKeys;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that the store encrypts with, from the properties. */
final class StoreKeys {
    private static final String KEY_FILE = "georep.store.encryption.key-file";

    private StoreKeys() {}

    /**
     * Returns the keys; null if nothing is to be encrypted.
     *
     * @param own the application's
     * @param faults gets what is wrong
     */
    static @Nullable EncryptionKeys of(
            GeoRepProperties.Encryption encryption, @Nullable EncryptionKeys own, List<String> faults) {
        Path file = encryption.keyFile();
        if (own != null && file != null) {
            faults.add(KEY_FILE + " is set, but the application has EncryptionKeys of its own: leave one out");
        }
        EncryptionKeys keys = own;
        if (own == null && file != null) {
            try {
                keys = EncryptionKeys.ofFile(file);
            } catch (ConfigurationException e) {
                faults.add(KEY_FILE + ": " + e.getMessage());
            }
        }
        return keys == null || encryption.enabled() ? keys : keys.readingOnly();
    }
}
