package io.georep.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A started store and short words to use it in tests. Keys are written as hexadecimal digits, so that their order is
 * plain.
 */
public abstract class StoreTestBed {
    protected static final byte[] FIRST = {};
    protected static final byte[] LAST = {-1, -1, -1, -1, -1, -1, -1, -1};

    protected final RecordingListener listener = new RecordingListener();
    protected EntryStore store;
    protected long submitted;
    protected long token;

    /** A store without content, not started. */
    protected abstract EntryStore openEmpty() throws Exception;

    /** Opens again what the last store, which is closed, held; not started. */
    protected abstract EntryStore reopen() throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = openEmpty();
        store.start(listener);
    }

    @AfterEach
    void closeAndExpectNoFailure() {
        store.close();

        assertThat(listener.failures()).isEmpty();
    }

    protected void apply(Consumer<StoreBatch> filling) {
        submit(batch -> {
            filling.accept(batch);
            batch.requireDurable();
        });
        listener.awaitDurable(submitted);
    }

    protected void submit(Consumer<StoreBatch> filling) {
        StoreBatch batch = new StoreBatch();
        filling.accept(batch);
        store.submit(batch);
        submitted++;
    }

    protected void sync() {
        apply(batch -> {});
    }

    protected void closeAndReopen() throws Exception {
        store.close();
        store = reopen();
    }

    protected RecordingListener.Scanned scan(String from, String to, int pairsMax, long bytesMax) {
        store.scan(++token, key(from), key(to), pairsMax, bytesMax);
        return listener.awaitScanned(token);
    }

    protected List<String> content() {
        List<String> found = new ArrayList<>();
        store.scanNow(FIRST, LAST, (key, value) -> {
            found.add(text(key, value));
            return true;
        });
        return found;
    }

    protected static StoreBatch put(StoreBatch batch, String key, String value) {
        batch.put(key(key), text(value));
        return batch;
    }

    protected static String hex(int key) {
        return String.format("%02x", key);
    }

    protected static byte[] key(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    protected static Slice text(String value) {
        return Slice.utf8(value);
    }

    protected static String text(byte[] key, Slice value) {
        return HexFormat.of().formatHex(key) + "=" + new String(value.toArray(), StandardCharsets.UTF_8);
    }

    protected static List<String> texts(List<EntryStore.Pair> pairs) {
        return pairs.stream().map(pair -> text(pair.key(), pair.value())).toList();
    }
}
