package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.store.RecordingListener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store does when the disk runs low. */
class SpaceReserveTest {
    private final RecordingListener listener = new RecordingListener();

    @TempDir
    Path temporary;

    private final AtomicLong usable = new AtomicLong(1000);
    private final AtomicLong nanos = new AtomicLong();
    private RocksDbStore store;
    private long submitted;

    @BeforeEach
    void open() {
        RocksDbStoreConfig config = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                .minFreeBytes(400)
                .build();
        store = RocksDbStore.open(temporary.resolve("store"), config, usable::get, new ManualTicker());
        store.start(listener);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void reportsFullUntilAQuarterMoreThanTheReserveIsFree() {
        turn();
        assertThat(listener.full()).isEmpty();

        usable.set(399);
        turn();
        assertThat(listener.full()).containsExactly(true);

        usable.set(499);
        turn();
        assertThat(listener.full()).containsExactly(true);

        usable.set(500);
        turn();
        assertThat(listener.full()).containsExactly(true, false);
    }

    @Test
    void looksOnlyOnceASecond() {
        turn();
        usable.set(0);

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(999));
        submit();
        assertThat(listener.full()).isEmpty();

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
        submit();
        assertThat(listener.full()).containsExactly(true);
    }

    @Test
    void goesOnApplyingBatches() {
        usable.set(0);
        turn();
        assertThat(listener.full()).containsExactly(true);

        submit();

        assertThat(listener.lastDurable()).isEqualTo(submitted);
    }

    private void turn() {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        submit();
    }

    /** Two batches: the store looks at the clock before it takes the second. */
    private void submit() {
        for (int i = 0; i < 2; i++) {
            store.submit(blob((int) ++submitted));
            listener.awaitDurable(submitted);
        }
    }

    private final class ManualTicker implements Ticker {
        @Override
        public long nanos() {
            return nanos.get();
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    }

    private static StoreBatch blob(int number) {
        byte[] value = new byte[10];
        new Random(number).nextBytes(value);
        StoreBatch batch = new StoreBatch();
        batch.put(ByteBuffer.allocate(5).put((byte) 2).putInt(number).array(), Slice.of(value));
        batch.requireDurable();
        return batch;
    }
}
