package io.georep.examples.sms.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.MapChange;
import io.georep.funnel.MapListener;
import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.MapUnavailableException.Reason;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.WriteOptions;
import io.georep.model.Registration;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What a gateway knows while it cannot read the map. */
final class SharedTableTest {
    private static final Duration STALE_MAX = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofSeconds(1);

    private final MapInHand map = new MapInHand();
    private long now;
    private final SharedTable<String> table = new SharedTable<>("rows", map, Map.of("31", "a"), STALE_MAX, () -> now);

    /** A map that can be cut off. */
    private static final class MapInHand implements ReplicatedMap<String, String> {
        private final Map<String, String> rows = new TreeMap<>();
        private MapListener<String, String> listener = change -> {};
        private boolean cutOff;

        /** Somebody else changes a row; who is cut off may hear of it all the same. */
        void changed(String key, String value) {
            rows.put(key, value);
            listener.changed(new MapChange<>("rows", key, value, 1, 1));
        }

        private void requireReach() {
            if (cutOff) {
                throw new MapUnavailableException(Reason.NO_LEASE, "no lease");
            }
        }

        @Override
        public String name() {
            return "rows";
        }

        @Override
        public String get(String key) {
            requireReach();
            return rows.get(key);
        }

        @Override
        public CompletionStage<String> read(String key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> put(String key, String value, WriteOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Boolean> remove(String key, WriteOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<String> putIfAbsent(String key, String value, WriteOptions options) {
            requireReach();
            return CompletableFuture.completedFuture(rows.putIfAbsent(key, value));
        }

        @Override
        public CompletionStage<Boolean> replace(String key, String expected, String value, WriteOptions options) {
            requireReach();
            return CompletableFuture.completedFuture(rows.replace(key, expected, value));
        }

        @Override
        public void forEach(BiConsumer<? super String, ? super String> action) {
            requireReach();
            rows.forEach(action);
        }

        @Override
        public Registration listen(MapListener<String, String> toBe) {
            listener = toBe;
            return () -> {};
        }
    }

    private void assertUnknown(String why) {
        assertThatThrownBy(() -> table.get("31"))
                .isInstanceOf(MapUnavailableException.class)
                .hasMessageContaining(why);
    }

    @Test
    void nothingIsSaidBeforeTheTableWasRead() {
        assertUnknown("has not read the table of rows yet");
        map.cutOff = true;
        assertUnknown("has not read the table of rows yet");
        assertThat(table.fault()).isNotNull();
    }

    @Test
    void settingsAreAddedAndDoNotReplaceWhatIsThere() {
        table.load(SOON);
        assertThat(table.get("31")).isEqualTo("a");

        map.changed("31", "b");
        table.load(SOON);

        assertThat(table.get("31")).isEqualTo("b");
        assertThat(table.get("32")).isNull();
        assertThat(table.fault()).isNull();
    }

    @Test
    void whatWasKnownLastCountsForATimeAndNotLonger() {
        map.rows.put("32", "b");
        table.load(SOON);
        map.changed("33", "c");
        map.cutOff = true;

        now = STALE_MAX.toNanos();
        assertThat(table.get("31")).isEqualTo("a");
        assertThat(table.get("32")).isEqualTo("b");
        assertThat(table.get("33")).isEqualTo("c");
        assertThat(table.get("34")).isNull();
        assertThat(table.all()).containsOnlyKeys("31", "32", "33");

        now++;
        assertUnknown("sms.tables.stale-max");
        assertThatThrownBy(table::all).isInstanceOf(MapUnavailableException.class);

        map.cutOff = false;
        assertThat(table.get("32")).isEqualTo("b");
    }

    @Test
    void theTimeCountsFromTheLastMomentInReach() {
        table.load(SOON);
        now = STALE_MAX.toNanos();
        table.served();
        map.cutOff = true;
        now += STALE_MAX.toNanos();

        assertThat(table.get("31")).isEqualTo("a");
    }

    @Test
    void aRowThatSomebodyElseChangedIsNotReplaced() throws Exception {
        table.load(SOON);
        assertThat(table.change("31", before -> {
                            map.rows.put("31", "somebody else's");
                            return "mine";
                        })
                        .toCompletableFuture()
                        .get())
                .isFalse();
        assertThat(table.get("31")).isEqualTo("somebody else's");
    }

    @Test
    void rowsOfSettingsAloneCannotBeChanged() {
        SharedTable<String> alone = SharedTable.ofSettings("rows", Map.of("31", "a"));

        assertThat(alone.get("31")).isEqualTo("a");
        assertThat(alone.fault()).isNull();
        assertThatThrownBy(() -> alone.change("31", before -> "b"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("profile 'shared'");
    }
}
