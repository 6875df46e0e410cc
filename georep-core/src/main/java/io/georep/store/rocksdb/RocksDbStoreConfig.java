package io.georep.store.rocksdb;

import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.spi.EncryptionKeys;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link RocksDbStore}. With the defaults its native memory stays below about 300 MB.
 *
 * @param nodeId the node to which the directory belongs
 * @param cluster the cluster to which the directory belongs
 * @param durability when a batch that must be durable counts as durable
 * @param memtableBytes size of one buffer of recent changes, in bytes
 * @param memtableCountMax how many such buffers there may be at once, at least 2. When all but two are full, they are written to
 *     a table file together, without what was set and deleted within them
 * @param blockCacheBytes memory for reading table files, indexes included, in bytes
 * @param groupBytesMax how many bytes of batches are written to the log at once, unless a single batch is larger
 * @param backgroundJobsMax how many threads write and compact table files
 * @param minFreeBytes free space on the disk, in bytes, below which the store reports that it is full; 0: no check
 * @param verifyOnOpen whether opening the store reads all table files and verifies their checksums
 * @param nativeOptions RocksDB options, with the names and the notation of RocksDB, for measurements and emergencies. They
 *     replace what this library sets, except what recovery relies on
 * @param encryption keys that values are encrypted with; null: values are stored as they are
 */
public record RocksDbStoreConfig(
        NodeId nodeId,
        String cluster,
        Durability durability,
        long memtableBytes,
        int memtableCountMax,
        long blockCacheBytes,
        int groupBytesMax,
        int backgroundJobsMax,
        long minFreeBytes,
        boolean verifyOnOpen,
        Map<String, String> nativeOptions,
        @Nullable EncryptionKeys encryption) {

    private static final long MEBIBYTE = 1024L * 1024;

    public RocksDbStoreConfig {
        check("cluster", cluster, !cluster.isBlank(), "a name that is not blank");
        check("memtableBytes", memtableBytes, memtableBytes >= MEBIBYTE / 4, "at least 262144");
        check("memtableCountMax", memtableCountMax, memtableCountMax >= 2, "at least 2");
        check("blockCacheBytes", blockCacheBytes, blockCacheBytes >= MEBIBYTE, "at least 1048576");
        check("groupBytesMax", groupBytesMax, groupBytesMax >= 1, "at least 1");
        check("backgroundJobsMax", backgroundJobsMax, backgroundJobsMax >= 1, "at least 1");
        check("minFreeBytes", minFreeBytes, minFreeBytes >= 0, "0 or more");
        nativeOptions = Collections.unmodifiableMap(new TreeMap<>(nativeOptions));
    }

    private static void check(String property, Object value, boolean isValid, String allowed) {
        if (!isValid) {
            throw new ConfigurationException("store setting " + property + " = " + value + ": use " + allowed);
        }
    }

    /** Returns a builder that starts from the defaults. */
    public static Builder builder(NodeId nodeId, String cluster) {
        return new Builder(nodeId, cluster);
    }

    /** Collects settings. Each setter returns the builder. */
    public static final class Builder {
        private final NodeId nodeId;
        private final String cluster;
        private Durability durability = Durability.FSYNC;
        private long memtableBytes = 32 * MEBIBYTE;
        private int memtableCountMax = 6;
        private long blockCacheBytes = 32 * MEBIBYTE;
        private int groupBytesMax = (int) (4 * MEBIBYTE);
        private int backgroundJobsMax = 2;
        private long minFreeBytes = 256 * MEBIBYTE;
        private boolean verifyOnOpen = true;
        private final Map<String, String> nativeOptions = new TreeMap<>();
        private @Nullable EncryptionKeys encryption;

        private Builder(NodeId nodeId, String cluster) {
            this.nodeId = nodeId;
            this.cluster = cluster;
        }

        /** Sets the durability level; {@code FSYNC} unless set. */
        public Builder durability(Durability durability) {
            this.durability = durability;
            return this;
        }

        /** Sets the size of a memtable in bytes; 32 MiB unless set. */
        public Builder memtableBytes(long memtableBytes) {
            this.memtableBytes = memtableBytes;
            return this;
        }

        /** Sets how many memtables there may be; 6 unless set. */
        public Builder memtableCountMax(int memtableCountMax) {
            this.memtableCountMax = memtableCountMax;
            return this;
        }

        /** Sets the size of the block cache in bytes; 32 MiB unless set. */
        public Builder blockCacheBytes(long blockCacheBytes) {
            this.blockCacheBytes = blockCacheBytes;
            return this;
        }

        /** Sets the bound of one write in bytes; 4 MiB unless set. */
        public Builder groupBytesMax(int groupBytesMax) {
            this.groupBytesMax = groupBytesMax;
            return this;
        }

        /** Sets the number of background threads; 2 unless set. */
        public Builder backgroundJobsMax(int backgroundJobsMax) {
            this.backgroundJobsMax = backgroundJobsMax;
            return this;
        }

        /** Sets the reserve of free disk space in bytes; 256 MiB unless set, 0 for none. */
        public Builder minFreeBytes(long minFreeBytes) {
            this.minFreeBytes = minFreeBytes;
            return this;
        }

        /** Sets whether opening verifies all table files; true unless set. */
        public Builder verifyOnOpen(boolean verifyOnOpen) {
            this.verifyOnOpen = verifyOnOpen;
            return this;
        }

        /** Sets a RocksDB option, for example {@code compression} to {@code kNoCompression}; none unless set. */
        public Builder nativeOption(String name, String value) {
            nativeOptions.put(name, value);
            return this;
        }

        /** Sets the keys that values are encrypted with; null, and unless set, they are stored as they are. */
        public Builder encryption(@Nullable EncryptionKeys encryption) {
            this.encryption = encryption;
            return this;
        }

        /**
         * Returns the settings, checked.
         *
         * @throws ConfigurationException naming the setting that is not valid
         */
        public RocksDbStoreConfig build() {
            return new RocksDbStoreConfig(
                    nodeId,
                    cluster,
                    durability,
                    memtableBytes,
                    memtableCountMax,
                    blockCacheBytes,
                    groupBytesMax,
                    backgroundJobsMax,
                    minFreeBytes,
                    verifyOnOpen,
                    nativeOptions,
                    encryption);
        }
    }
}
