package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.memory.MemoryStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class SwitchedStoreTest {
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final SwitchedStore store = new SwitchedStore(new MemoryStore());

    private final class Listener implements EntryStore.Listener {
        @Override
        public void durable(long batchNumber) {
            heard.add("durable " + batchNumber);
        }

        @Override
        public void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
            heard.add("scanned " + token + " pairs " + pairs.size());
        }

        @Override
        public void full(boolean full) {
            heard.add("full");
        }

        @Override
        public void failed(StoreException cause) {
            heard.add("failed");
        }
    }

    @Test
    void answersNothingWhileItHangsAndThenEverythingInOrder() {
        store.start(new Listener());
        store.submit(new StoreBatch());
        await().untilAsserted(() -> assertThat(heard).containsExactly("durable 1"));

        store.hang(true);
        store.submit(new StoreBatch());
        store.scan(7, new byte[] {0}, new byte[] {1}, 1, 1);
        store.submit(new StoreBatch());
        assertThat(heard).hasSize(1);

        store.hang(false);
        await().untilAsserted(() -> assertThat(heard).contains("durable 3", "scanned 7 pairs 0"));
        store.close();
    }
}
