package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.NodeId;
import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.runtime.Unprintable;
import io.georep.spi.EntryStore.Pair;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.store.RecordingListener;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store does when it cannot go on. */
class StoreFailureTest {
    private static final byte[] FIRST = {};
    private static final byte[] LAST = {-1};

    private final RecordingListener listener = new RecordingListener();
    private final RocksDbStoreConfig config =
            RocksDbStoreConfig.builder(NodeId.of("a"), "test").build();

    @TempDir
    Path directory;

    @Test
    void reportsDamageThatAppearsWhileItIsOpenOnceAndCompletesNothingMore() throws Exception {
        RocksDbStore store = openWithDamagedTable();
        store.start(listener);
        store.submit(new Workload(10).batch(1));
        store.scan(1, FIRST, LAST, 10_000, Long.MAX_VALUE);
        listener.await("a failure", self -> !self.failures().isEmpty());
        long reported = listener.lastDurable();

        store.submit(new Workload(10).batch(2));
        store.scan(2, FIRST, LAST, 10_000, Long.MAX_VALUE);
        store.close();

        assertThat(listener.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
            assertThat(failure).hasMessageContaining(directory.toString());
        });
        assertThat(listener.lastDurable()).isEqualTo(reported);
        assertThat(listener.scanned()).isEmpty();
    }

    @Test
    void bootScanThrowsOnDamage() throws Exception {
        try (RocksDbStore store = openWithDamagedTable()) {
            assertThatThrownBy(() -> store.scanNow(FIRST, LAST, (key, value) -> true))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT));
        }
    }

    @Test
    void reportsAListenerThatThrowsAsFailure() {
        RecordingListener throwing = new RecordingListener() {
            @Override
            public synchronized void scanned(long token, List<Pair> pairs, boolean more) {
                throw new IllegalArgumentException("thrown by the listener");
            }
        };
        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            store.start(throwing);

            store.scan(1, FIRST, LAST, 1, 1);

            throwing.await("a failure", self -> !self.failures().isEmpty());
            assertThat(throwing.failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure).hasMessageContaining("thrown by the listener"));
        }
    }

    /** Memory at its end, say: neither the log nor the text of the failure can be written. */
    @Test
    void tellsOfAnErrorThatCannotBeTold() {
        RecordingListener throwing = new RecordingListener() {
            @Override
            public synchronized void durable(long batchNumber) {
                throw new Unprintable();
            }
        };
        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            store.start(throwing);

            store.submit(new StoreBatch());

            throwing.await("a failure", self -> !self.failures().isEmpty());
            assertThat(throwing.failures()).hasSize(1);
        }
    }

    @Test
    void tellsAgainWhenTheListenerHadNoMemoryToListen() {
        AtomicInteger attempts = new AtomicInteger();
        RecordingListener throwing = new RecordingListener() {
            @Override
            public synchronized void durable(long batchNumber) {
                throw new OutOfMemoryError("thrown by the listener");
            }

            @Override
            public synchronized void failed(StoreException cause) {
                if (attempts.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("thrown by the listener again");
                }
                super.failed(cause);
            }
        };
        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            store.start(throwing);

            store.submit(new StoreBatch());

            throwing.await("a failure", self -> !self.failures().isEmpty());
            assertThat(throwing.failures()).hasSize(1);
        }
    }

    @Test
    void reportsAProbeOfTheFreeSpaceThatThrowsAsFailure() {
        SpaceWatch.Probe broken = () -> {
            throw new OutOfMemoryError("thrown by the probe");
        };
        try (RocksDbStore store = RocksDbStore.open(directory, config, broken, Ticker.system())) {
            store.start(listener);

            listener.await("a failure", self -> !self.failures().isEmpty());
            assertThat(listener.failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure).hasMessageContaining("thrown by the probe"));
        }
    }

    @Test
    void readsAndWritesNothingMoreAfterAFailure() {
        AtomicInteger turns = new AtomicInteger();
        RecordingListener throwing = new RecordingListener() {
            @Override
            public synchronized void durable(long batchNumber) {
                throw new IllegalArgumentException("thrown by the listener");
            }
        };
        Workload workload = new Workload(10);
        try (RocksDbStore store = RocksDbStore.open(directory, config, () -> enough(turns), everyCallASecondLater())) {
            store.start(throwing);
            store.submit(workload.batch(1));
            throwing.await("a failure", self -> !self.failures().isEmpty());

            store.submit(workload.batch(2));
            store.scan(1, FIRST, LAST, 10_000, Long.MAX_VALUE);

            // The one under way may have begun before; the next but one begins after the work was taken.
            int then = turns.get() + 3;
            await().atMost(20, TimeUnit.SECONDS).until(() -> turns.get() >= then);
            assertThat(throwing.scanned()).isEmpty();
        }
        try (RocksDbStore again = RocksDbStore.open(directory, config)) {
            assertThat(workload.prefixIn(again)).isEqualTo(1);
        }
    }

    private static long enough(AtomicInteger turns) {
        turns.incrementAndGet();
        return Long.MAX_VALUE;
    }

    /** So that each turn of the store looks at the disk. */
    private static Ticker everyCallASecondLater() {
        AtomicLong calls = new AtomicLong();
        return new Ticker() {
            @Override
            public long nanos() {
                return TimeUnit.SECONDS.toNanos(calls.incrementAndGet());
            }

            @Override
            public long wallMillis() {
                return 0;
            }
        };
    }

    @Test
    void refusesToBeClosedByItsListener() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        RocksDbStore[] store = new RocksDbStore[1];
        RecordingListener closing = new RecordingListener() {
            @Override
            public synchronized void durable(long batchNumber) {
                try {
                    store[0].close();
                    thrown.complete(null);
                } catch (IllegalStateException e) {
                    thrown.complete(e);
                }
            }
        };
        store[0] = RocksDbStore.open(directory, config);
        store[0].start(closing);

        store[0].submit(new StoreBatch());

        assertThat(thrown.get(30, TimeUnit.SECONDS)).hasMessageContaining("use another thread");
        store[0].close();
    }

    @Test
    void closeKeepsAnInterruptForTheCaller() {
        RocksDbStore store = RocksDbStore.open(directory, config);
        store.start(listener);
        store.submit(new Workload(10).batch(1));
        Thread.currentThread().interrupt();

        store.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(listener.durable()).containsExactly(1L);
    }

    /** A store whose table file is damaged after it was verified. */
    private RocksDbStore openWithDamagedTable() throws Exception {
        RocksDbStore store = RocksDbStore.open(directory, config);
        store.start(listener);
        for (int number = 1; number <= 300; number++) {
            store.submit(new Workload(3000).batch(number));
        }
        store.close();
        store = RocksDbStore.open(directory, config);
        Path table = new StoreImage(directory).file("\\d+\\.sst");
        try (var channel = FileChannel.open(table, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1000), Files.size(table) / 2);
        }
        return store;
    }
}
