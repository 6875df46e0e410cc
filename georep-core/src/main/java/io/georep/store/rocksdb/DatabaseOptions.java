package io.georep.store.rocksdb;

import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WALRecoveryMode;

/** How the library below is set up; the reasons and figures are in {@code docs/decisions/0002-store-layout.md}. */
final class DatabaseOptions implements AutoCloseable {
    private static final long TABLE_BYTES = 64L * 1024 * 1024;
    private static final int BLOCK_BYTES = 16 * 1024;
    private static final long LOG_BYTES_MAX = 1024L * 1024;
    private static final int LOG_FILES_MAX = 3;

    private final Cache cache;
    private final DBOptions database;
    private final ColumnFamilyOptions columns;
    private final Options options;

    DatabaseOptions(RocksDbStoreConfig config) {
        cache = new LRUCache(config.blockCacheBytes());
        database = databaseOptions(config);
        columns = columnOptions(config, cache);
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

    private static DBOptions databaseOptions(RocksDbStoreConfig config) {
        // These two have no setter in Java. They make a log that is missing, or cut exactly between two records, an
        // error; without them recovery would go on with the next log and leave a gap.
        Properties verification = new Properties();
        verification.setProperty("track_and_verify_wals_in_manifest", "true");
        verification.setProperty("track_and_verify_wals", "true");
        DBOptions database = DBOptions.getDBOptionsFromProps(verification);
        if (database == null) {
            throw new IllegalStateException("the RocksDB library does not know the options that verify its logs: use"
                    + " the rocksdbjni version this library was built with");
        }
        // A single thread writes, so what serves concurrent writers only costs.
        database.setAllowConcurrentMemtableWrite(false)
                .setEnableWriteThreadAdaptiveYield(false)
                .setParanoidChecks(true)
                // Recovery stops at the first damaged record; DurableMark tells whether that lost anything promised.
                .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
                .setMaxBackgroundJobs(config.backgroundJobsMax())
                .setMaxOpenFiles(-1)
                .setSkipStatsUpdateOnDbOpen(true)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(LOG_BYTES_MAX)
                .setKeepLogFileNum(LOG_FILES_MAX);
        return database;
    }

    private static ColumnFamilyOptions columnOptions(RocksDbStoreConfig config, Cache cache) {
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setBlockSize(BLOCK_BYTES)
                .setCacheIndexAndFilterBlocks(true);
        return new ColumnFamilyOptions()
                .setTableFormatConfig(table)
                .setWriteBufferSize(config.memtableBytes())
                .setMaxWriteBufferNumber(config.memtableCountMax())
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setTargetFileSizeBase(TABLE_BYTES);
    }
}
