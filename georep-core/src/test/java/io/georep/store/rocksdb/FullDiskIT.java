package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.spi.StoreBatch;
import io.georep.store.RecordingListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the store does when the disk is full. */
class FullDiskIT {
    private static final int BLOB_BYTES = 100_000;

    private final RecordingListener listener = new RecordingListener();

    @TempDir
    Path temporary;

    private Path disk;
    private RocksDbStore store;

    @BeforeEach
    void mountASmallDisk() throws Exception {
        disk = Files.createDirectory(temporary.resolve("disk"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk.toString()))
                .as("may mount a small disk")
                .isTrue();
    }

    @AfterEach
    void unmount() throws Exception {
        if (store != null) {
            store.close();
        }
        run("umount", disk.toString());
    }

    /** Small memtables fill the disk with table files, large ones with the log. */
    @ParameterizedTest
    @CsvSource({"FSYNC, 2", "FSYNC, 32", "OS, 2", "OS, 32", "MEMORY, 2"})
    void keepsEverythingInOrderUntilThereIsSpaceAgain(Durability durability, int memtableMebibytes) throws Exception {
        RocksDbStoreConfig config = config(durability, memtableMebibytes);
        store = RocksDbStore.open(disk.resolve("store"), config);
        store.start(listener);
        int last = 0;
        while (!listener.full().contains(true)) {
            store.submit(blob(++last, BLOB_BYTES));
            if (last > 8) {
                int sofar = last;
                listener.await(
                        "room or a full disk",
                        self -> self.lastDurable() >= sofar - 8 || !self.full().isEmpty());
            }
        }
        long completedWhenFull = listener.lastDurable();
        for (int i = 0; i < 20; i++) {
            store.submit(blob(++last, BLOB_BYTES));
        }
        listener.await("the full disk to be told again", self -> Collections.frequency(self.full(), true) >= 3);

        assertThat(run("mount", "-o", "remount,size=96m", disk.toString())).isTrue();
        listener.awaitDurable(last);
        listener.await("space to be reported", self -> self.full().contains(false));
        store.close();

        assertThat(listener.full().get(0)).isTrue();
        assertThat(listener.failures()).isEmpty();
        assertThat(listener.durable()).isSorted().doesNotHaveDuplicates();
        assertThat(completedWhenFull).isLessThan(last - 20);
        store = RocksDbStore.open(disk.resolve("store"), config);
        assertThat(blobsIn(store)).isEqualTo(last);
    }

    @ParameterizedTest
    @CsvSource({"FSYNC, 2", "FSYNC, 32", "OS, 2", "MEMORY, 2"})
    void closesAlthoughTheDiskIsFullAndKeepsWhatItPromised(Durability durability, int memtableMebibytes)
            throws Exception {
        RocksDbStoreConfig config = config(durability, memtableMebibytes);
        store = RocksDbStore.open(disk.resolve("store"), config);
        store.start(listener);
        for (int number = 1; number <= 300; number++) {
            store.submit(blob(number, BLOB_BYTES));
        }
        listener.await("a full disk", self -> self.full().contains(true));

        store.close();

        long promised = durability == Durability.MEMORY ? 0 : listener.lastDurable();
        assertThat(listener.failures()).isEmpty();
        assertThat(run("mount", "-o", "remount,size=96m", disk.toString())).isTrue();
        store = RocksDbStore.open(disk.resolve("store"), config);
        assertThat((long) blobsIn(store)).isBetween(promised, 299L);
    }

    @Test
    void saysSoWhenThereIsNoSpaceToOpen() throws Exception {
        Files.write(disk.resolve("filler"), new byte[20 << 20]);
        fill(disk.resolve("rest"));

        assertThatThrownBy(() -> RocksDbStore.open(disk.resolve("store"), config(Durability.FSYNC, 2)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL))
                .hasMessageContaining("free space");
    }

    private static void fill(Path file) {
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space");
        }
    }

    private static RocksDbStoreConfig config(Durability durability, int memtableMebibytes) {
        return RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                .durability(durability)
                .memtableBytes((long) memtableMebibytes << 20)
                .memtableCountMax(3)
                .groupBytesMax(300_000)
                .minFreeBytes(0)
                .build();
    }

    private static StoreBatch blob(int number, int bytes) {
        byte[] value = new byte[bytes];
        new Random(number).nextBytes(value);
        StoreBatch batch = new StoreBatch();
        batch.put(ByteBuffer.allocate(5).put((byte) 2).putInt(number).array(), Slice.of(value));
        batch.requireDurable();
        return batch;
    }

    /** The number of blobs, which must be 1 to n without a gap. */
    private static int blobsIn(RocksDbStore store) {
        int[] count = {0};
        store.scanNow(new byte[] {2}, new byte[] {3}, (key, value) -> {
            assertThat(ByteBuffer.wrap(key).getInt(1)).isEqualTo(++count[0]);
            return true;
        });
        return count[0];
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
