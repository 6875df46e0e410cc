package io.georep.spi;

import io.georep.model.ConfigurationException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys by id, the one for writing first. Immutable. */
final class KeyRing implements EncryptionKeys {
    private final EncryptionKey current;
    private final Map<String, EncryptionKey> all = new LinkedHashMap<>();

    /** A ring of at least one key. */
    KeyRing(List<EncryptionKey> keys) {
        current = keys.get(0);
        for (EncryptionKey key : keys) {
            if (all.put(key.id(), key) != null) {
                throw new ConfigurationException("two encryption keys have the id '" + key.id()
                        + "': a record says by this id which key it needs, so give each key an id of its own");
            }
        }
    }

    @Override
    public EncryptionKey current() {
        return current;
    }

    @Override
    public @Nullable EncryptionKey find(String id) {
        return all.get(id);
    }

    Collection<EncryptionKey> all() {
        return all.values();
    }

    @Override
    public String toString() {
        return "encryption keys " + all.keySet();
    }
}
