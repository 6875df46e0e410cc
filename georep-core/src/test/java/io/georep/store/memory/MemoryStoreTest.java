package io.georep.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.EntryStoreContract;
import io.georep.store.RecordingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
    @Nested
    class OnItsOwnThread extends EntryStoreContract {
        private MemoryStore last;

        @Override
        protected EntryStore openEmpty() {
            last = new MemoryStore();
            return last;
        }

        @Override
        protected EntryStore reopen() {
            last = last.reopen();
            return last;
        }
    }

    @Nested
    class OnTheCallersThread extends EntryStoreContract {
        private MemoryStore last;

        @Override
        protected EntryStore openEmpty() {
            last = new MemoryStore(Runnable::run);
            return last;
        }

        @Override
        protected EntryStore reopen() {
            last = last.reopen();
            return last;
        }
    }

    @Nested
    class OnAnExecutorWithoutOrder extends EntryStoreContract {
        private MemoryStore last;

        @Override
        protected EntryStore openEmpty() {
            last = new MemoryStore(ForkJoinPool.commonPool());
            return last;
        }

        @Override
        protected EntryStore reopen() {
            last = last.reopen();
            return last;
        }
    }

    private final RecordingListener listener = new RecordingListener();

    /** Memory may be at its end: a store that said nothing more and could not be closed would hold up its node for good. */
    @Test
    void reportsAListenerThatThrowsAsFailureAndCanBeClosed() {
        RecordingListener throwing = new RecordingListener() {
            @Override
            public synchronized void durable(long batchNumber) {
                throw new OutOfMemoryError("thrown by the listener");
            }
        };
        MemoryStore store = new MemoryStore();
        store.start(throwing);

        store.submit(put("a", true));

        throwing.await("a failure", self -> !self.failures().isEmpty());
        assertThat(throwing.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("thrown by the listener"));
        store.close();
    }

    @Test
    void crashForgetsWhatWasNotMadeDurable() {
        MemoryStore store = started(new MemoryStore(Runnable::run));
        store.submit(put("a", false));
        store.submit(put("b", true));
        store.submit(put("c", false));
        assertThat(keys(store)).containsExactly("a", "b", "c");

        store.crash();
        MemoryStore survivor = store.reopen();

        assertThat(listener.lastDurable()).isEqualTo(3);
        assertThat(keys(survivor)).containsExactly("a", "b");
    }

    @Test
    void crashForgetsQueuedWorkAndReportsNothing() {
        List<Runnable> held = new ArrayList<>();
        MemoryStore store = started(new MemoryStore(held::add));
        store.submit(put("a", true));

        store.crash();
        held.forEach(Runnable::run);

        assertThat(listener.durable()).isEmpty();
        assertThat(keys(store.reopen())).isEmpty();
    }

    @Test
    void crashAfterCloseLosesNothing() {
        MemoryStore store = started(new MemoryStore());
        store.submit(put("a", false));

        store.close();
        store.crash();

        assertThat(keys(store.reopen())).containsExactly("a");
    }

    @Test
    void aBatchThatNeedNotSurviveAPowerCutIsDurableWithTheNextThatMust() {
        MemoryStore store = started(new MemoryStore(Runnable::run));
        store.submit(put("first", Durability.OS));
        store.submit(put("second", Durability.FSYNC));
        store.submit(put("third", Durability.OS));
        store.submit(put("fourth", Durability.MEMORY));

        store.crash();

        assertThat(listener.durable()).endsWith(4L);
        assertThat(keys(store.reopen())).containsExactly("first", "second");
    }

    @Test
    void completesWithinSubmitOnTheCallersThread() {
        MemoryStore store = started(new MemoryStore(Runnable::run));

        store.submit(put("a", true));

        assertThat(listener.durable()).containsExactly(1L);
    }

    @Test
    void reportsMisuseOfDeleteOnce() {
        MemoryStore store = started(new MemoryStore(Runnable::run));
        store.submit(put("a", true));
        store.submit(put("a", true));
        StoreBatch batch = new StoreBatch();
        batch.deleteOnce("a".getBytes());

        store.submit(batch);

        assertThat(listener.durable()).containsExactly(1L, 2L);
        assertThat(listener.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining("deleteOnce"));
    }

    @Test
    void reopenNeedsAnEnd() {
        MemoryStore store = new MemoryStore(Runnable::run);

        assertThatThrownBy(store::reopen)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("crash or close");
    }

    private MemoryStore started(MemoryStore store) {
        store.start(listener);
        return store;
    }

    private static StoreBatch put(String key, boolean isDurable) {
        return put(key, isDurable ? Durability.FSYNC : Durability.MEMORY);
    }

    private static StoreBatch put(String key, Durability level) {
        StoreBatch batch = new StoreBatch().within(key.charAt(0), level);
        batch.put(key.getBytes(), Slice.utf8("value"));
        batch.requireDurable();
        return batch;
    }

    private static List<String> keys(MemoryStore store) {
        List<String> keys = new ArrayList<>();
        store.scanNow(new byte[0], new byte[] {-1}, (key, value) -> keys.add(new String(key)));
        return keys;
    }
}
