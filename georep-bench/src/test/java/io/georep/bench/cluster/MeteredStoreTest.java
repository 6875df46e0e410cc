package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;
import org.junit.jupiter.api.Test;

class MeteredStoreTest {
    @Test
    void countsBatchesOperationsAndBytesAndPassesThemOn() {
        MemoryStore inner = new MemoryStore(work -> {});
        try (MeteredStore store = new MeteredStore(inner)) {
            StoreBatch batch = new StoreBatch();
            batch.put(new byte[] {1}, Slice.of(new byte[100]));
            batch.put(new byte[] {2}, Slice.of(new byte[20]));
            batch.delete(new byte[] {1});

            store.submit(batch);
            store.submit(new StoreBatch());

            assertThat(store.batches.sum()).isEqualTo(2);
            assertThat(store.operations.sum()).isEqualTo(3);
            assertThat(store.valueBytes.sum()).isEqualTo(120);
        }
    }
}
