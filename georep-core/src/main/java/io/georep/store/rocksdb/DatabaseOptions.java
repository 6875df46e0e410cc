package io.georep.store.rocksdb;

import io.georep.model.ConfigurationException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WALRecoveryMode;

/** How RocksDB is set up. The reasons and figures are in {@code docs/how-it-works/decisions/0002-store-layout.md}. */
final class DatabaseOptions implements AutoCloseable {
    private static final long TABLE_BYTES = 64L * 1024 * 1024;
    private static final int BLOCK_BYTES = 16 * 1024;
    /** Read as a whole when it changes, so it must stay small. */
    private static final long MANIFEST_BYTES_MAX = 1024L * 1024;

    private static final long LOG_BYTES_MAX = 1024L * 1024;
    private static final int LOG_FILES_MAX = 3;

    /** What outlives two compactions belongs to an outage and may last long, so compressing it pays. */
    private static final String COMPRESSION_PER_LEVEL = "kNoCompression:kNoCompression:kLZ4Compression";

    /**
     * If more table files than this are not compacted yet, writes stop. They are not slowed down before, which would
     * only make failures harder to understand.
     */
    private static final String LEVEL_0_FILES_MAX = "36";

    private static final long DELAYED_BYTES_PER_SECOND = 1L << 30;

    private final Cache cache;
    private final DBOptions database;
    private final ColumnFamilyOptions columns;
    private final Options options;

    DatabaseOptions(RocksDbStoreConfig config) {
        Properties databaseNames = new Properties();
        Properties columnNames = columnNames(config);
        config.nativeOptions().forEach((name, value) -> {
            boolean isOfDatabase = isOfDatabase(name, value);
            (isOfDatabase ? databaseNames : columnNames).setProperty(name, value);
        });
        // These two have no setter in Java. They make a log that is missing, or cut exactly between two records, an
        // error; without them recovery would go on with the next log and leave a gap.
        databaseNames.setProperty("track_and_verify_wals_in_manifest", "true");
        databaseNames.setProperty("track_and_verify_wals", "true");
        database = known(DBOptions.getDBOptionsFromProps(databaseNames), databaseNames);
        set(database, config);
        columns = known(ColumnFamilyOptions.getColumnFamilyOptionsFromProps(columnNames), columnNames);
        cache = new LRUCache(config.blockCacheBytes());
        columns.setTableFormatConfig(new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setBlockSize(BLOCK_BYTES)
                .setCacheIndexAndFilterBlocks(true));
        options = new Options(database, columns);
    }

    Options options() {
        return options;
    }

    void createIfMissing(boolean isNew) {
        options.setCreateIfMissing(isNew);
    }

    @Override
    public void close() {
        options.close();
        columns.close();
        database.close();
        cache.close();
    }

    private static Properties columnNames(RocksDbStoreConfig config) {
        Properties names = new Properties();
        names.setProperty("write_buffer_size", String.valueOf(config.memtableBytes()));
        names.setProperty("max_write_buffer_number", String.valueOf(config.memtableCountMax()));
        int merged = Math.max(1, config.memtableCountMax() - 2);
        names.setProperty("min_write_buffer_number_to_merge", String.valueOf(merged));
        names.setProperty("compression_per_level", COMPRESSION_PER_LEVEL);
        names.setProperty("level0_slowdown_writes_trigger", LEVEL_0_FILES_MAX);
        names.setProperty("level0_stop_writes_trigger", LEVEL_0_FILES_MAX);
        names.setProperty("target_file_size_base", String.valueOf(TABLE_BYTES));
        return names;
    }

    private static void set(DBOptions database, RocksDbStoreConfig config) {
        // A single thread writes, so options for concurrent writers would only cost.
        database.setAllowConcurrentMemtableWrite(false)
                .setEnableWriteThreadAdaptiveYield(false)
                .setParanoidChecks(true)
                // Recovery stops at the first damaged record; DurableMark tells whether that lost anything promised.
                .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
                .setMaxOpenFiles(-1)
                .setSkipStatsUpdateOnDbOpen(true)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxManifestFileSize(MANIFEST_BYTES_MAX)
                .setMaxLogFileSize(LOG_BYTES_MAX)
                .setKeepLogFileNum(LOG_FILES_MAX);
        database.setDelayedWriteRate(DELAYED_BYTES_PER_SECOND);
        database.setMaxBackgroundJobs(config.backgroundJobsMax());
    }

    private static boolean isOfDatabase(String name, String value) {
        Properties single = new Properties();
        single.setProperty(name, value);
        try (DBOptions parsed = DBOptions.getDBOptionsFromProps(single)) {
            return parsed != null;
        }
    }

    private static <T> T known(@Nullable T parsed, Properties names) {
        if (parsed == null) {
            throw new ConfigurationException("RocksDB does not know one of the options or values " + names
                    + ": correct nativeOptions of the store");
        }
        return parsed;
    }
}
