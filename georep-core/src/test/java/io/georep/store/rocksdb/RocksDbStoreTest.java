package io.georep.store.rocksdb;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.EntryStore;
import io.georep.store.EntryStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

class RocksDbStoreTest {
    abstract static class AtLevel extends EntryStoreContract {
        @TempDir
        Path directory;

        private final RocksDbStoreConfig config;

        AtLevel(Durability durability) {
            this(durability, null);
        }

        AtLevel(Durability durability, EncryptionKeys keys) {
            config = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                    .durability(durability)
                    .encryption(keys)
                    .groupBytesMax(100_000)
                    .build();
        }

        @Override
        protected EntryStore openEmpty() {
            return RocksDbStore.open(directory, config);
        }

        @Override
        protected EntryStore reopen() {
            return RocksDbStore.open(directory, config);
        }
    }

    @Nested
    class WithFsync extends AtLevel {
        WithFsync() {
            super(Durability.FSYNC);
        }
    }

    @Nested
    class InThePageCache extends AtLevel {
        InThePageCache() {
            super(Durability.OS);
        }
    }

    @Nested
    class Encrypted extends AtLevel {
        Encrypted() {
            super(Durability.OS, EncryptionKeys.of(EncryptionKey.of("k", new byte[EncryptionKey.BYTES])));
        }
    }

    @Nested
    class InMemory extends AtLevel {
        InMemory() {
            super(Durability.MEMORY);
        }
    }
}
