package io.georep;

import io.georep.spi.EncryptionKeys;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreFactory;
import io.georep.store.memory.MemoryStore;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The stores a node gets unless it is given one. */
final class DefaultStores {
    private DefaultStores() {}

    /** RocksDB in the data directory, or memory when there is none. */
    static EntryStore open(StoreFactory.Settings settings, @Nullable EncryptionKeys encryption) {
        return settings.directory() == null
                ? new MemoryStore()
                : RocksDbStore.open(
                        Objects.requireNonNull(settings.directory()),
                        RocksDbStoreConfig.builder(settings.node(), settings.cluster())
                                .durability(settings.durability())
                                .encryption(encryption)
                                .build());
    }
}
