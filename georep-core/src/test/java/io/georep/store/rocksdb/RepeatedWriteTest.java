package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.concurrent.LinkedHandOff;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.store.RecordingListener;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Writes that fail although recovery finds them: the log took them, and only the sync after that met the full disk. */
class RepeatedWriteTest {
    private static final byte[] KEY = {7};

    @TempDir
    Path root;

    private final RocksDbStoreConfig config = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
            .durability(Durability.FSYNC)
            .build();

    /** Says that the disk is full after a write that reached the log, once. */
    private static final class FullAfterWriting extends Database {
        private final RocksDB library;
        private boolean isMended;

        private FullAfterWriting(DatabaseOptions options, String path, RocksDB library, Encryption encryption) {
            super(options, path, true, library, encryption);
            this.library = library;
        }

        static FullAfterWriting open(StoreDirectory directory, RocksDbStoreConfig config) throws RocksDBException {
            RocksDB.loadLibrary();
            DatabaseOptions options = new DatabaseOptions(config);
            options.createIfMissing(true);
            String data = directory.data().toString();
            RocksDB library = RocksDB.open(options.options(), data);
            return new FullAfterWriting(options, data, library, new Encryption(directory, null));
        }

        @Override
        void write(StoreWrite group, boolean sync) throws RocksDBException {
            super.write(group, sync);
            if (!isMended) {
                isMended = true;
                library.close();
                throw new RocksDBException(
                        new Status(Status.Code.IOError, Status.SubCode.NoSpace, "No space left on device"));
            }
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aWriteThatRecoveryFindsIsNotMadeAgain() throws Exception {
        RecordingListener listener = new RecordingListener();
        try (StoreDirectory directory = StoreDirectory.open(root, config);
                DurableMark mark = DurableMark.open(directory.mark());
                Database database = FullAfterWriting.open(directory, config)) {
            LinkedHandOff<Work> queue = new LinkedHandOff<>();
            StoreWorker worker = new StoreWorker(
                    directory, config, database, mark, queue, listener, new SpaceWatch(0, () -> 1), Ticker.system(), 0);
            Thread thread = new Thread(worker, "store");
            thread.start();
            StoreBatch put = new StoreBatch();
            put.put(KEY, Slice.of(new byte[100]));
            put.requireDurable();
            queue.push(new StoreWorker.BatchWork(put));
            listener.awaitDurable(1);
            StoreBatch deletion = new StoreBatch();
            deletion.deleteOnce(KEY);
            deletion.requireDurable();
            queue.push(new StoreWorker.BatchWork(deletion));
            listener.awaitDurable(2);
            queue.push(new StoreWorker.CloseWork());
            thread.join();
        }
        assertThat(listener.full()).contains(true);
        assertThat(listener.failures()).isEmpty();

        try (DatabaseOptions options = new DatabaseOptions(config);
                RocksDB library = RocksDB.open(
                        options.options(), root.resolve(StoreDirectory.DATA).toString())) {
            library.compactRange();

            assertThat(library.get(KEY)).isNull();
        }
    }
}
