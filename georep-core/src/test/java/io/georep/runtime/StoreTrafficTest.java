package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ProtocolConfig;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits for a batch of the store: neither let go before it, nor kept for ever. */
class StoreTrafficTest {
    private final Submitted store = new Submitted();
    private final StoreTraffic traffic =
            new StoreTraffic(store, new StoreWatch(StoreWatch.Limits.of(ProtocolConfig.defaults())));

    /** Keeps the batches, and is done with none. */
    private static final class Submitted implements EntryStore {
        private final List<StoreBatch> batches = new ArrayList<>();

        @Override
        public void scanNow(byte[] from, byte[] to, Visitor visitor) {}

        @Override
        public void start(Listener listener) {}

        @Override
        public void submit(StoreBatch batch) {
            batches.add(batch);
        }

        @Override
        public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {}

        @Override
        public void close() {}
    }

    @Test
    void nothingIsLetGoBeforeItsOwnBatchIsDurable() {
        StoreTraffic.Pending first = traffic.dependent();
        traffic.submit();
        StoreTraffic.Pending second = traffic.dependent();
        traffic.submit();
        assertThat(traffic.nextReady()).isNull();

        traffic.durable(1);
        assertThat(traffic.nextReady()).isSameAs(first);
        assertThat(traffic.nextReady()).isNull();

        traffic.durable(2);
        assertThat(traffic.nextReady()).isSameAs(second);
    }

    @Test
    void whatWaitsForNothingWrittenIsLetGoOnceAnEmptyBatchIsDurable() {
        StoreTraffic.Pending waiting = traffic.dependent();

        traffic.submit();
        assertThat(store.batches)
                .singleElement()
                .satisfies(batch -> assertThat(batch.isEmpty()).isTrue());

        traffic.durable(1);
        assertThat(traffic.nextReady()).isSameAs(waiting);
    }

    @Test
    void aTurnThatLeavesNothingToWriteAsksNothingOfTheStore() {
        traffic.submit();

        assertThat(store.batches).isEmpty();
        assertThat(traffic.backlog()).isZero();
    }
}
