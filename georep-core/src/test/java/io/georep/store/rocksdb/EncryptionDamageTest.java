package io.georep.store.rocksdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.store.RecordingListener;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What becomes of encrypted records that are not as they were written. */
class EncryptionDamageTest extends EncryptionTestBed {
    /** Each byte and each length, the reader alone: opening a store for each would take long. */
    @Test
    void recordsThatWereAlteredAreDamage() throws Exception {
        put(OLD_ONLY, "01");
        byte[] key = {1};
        byte[] whole = raw().get("01");
        try (StoreDirectory directory = StoreDirectory.open(temporary, config(OLD_ONLY))) {
            RecordOpener opener = new RecordOpener(new Encryption(directory, OLD_ONLY));
            for (int i = 0; i < whole.length; i++) {
                byte[] altered = whole.clone();
                altered[i] ^= 1;
                assertUnreadable(opener, key, altered, "bit flipped at " + i);
                assertUnreadable(opener, key, Arrays.copyOf(whole, i), "cut at " + i);
            }
            assertUnreadable(opener, new byte[] {1, 0}, whole.clone(), "below another key");

            assertThat(opener.open(key, whole)).isEqualTo(Slice.utf8(VALUE));
        }
    }

    private static void assertUnreadable(RecordOpener opener, byte[] key, byte[] record, String why) {
        assertThatThrownBy(() -> opener.open(key, record))
                .as(why)
                .isInstanceOf(StoreException.class)
                .hasMessageNotContaining(VALUE);
    }

    @Test
    void recordsThatChangedPlacesAreDamage() throws Exception {
        put(OLD_ONLY, "01");
        put(OLD_ONLY, "02");
        tamper("02", raw().get("01"));

        try (RocksDbStore store = open(OLD_ONLY)) {
            assertThatThrownBy(() -> contentOf(store))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
                    .hasMessageContaining("was altered, or moved here from elsewhere")
                    .hasMessageContaining("restore the directory from a copy");
        }
    }

    @Test
    void aPlainRecordWhereAllShouldBeEncryptedIsDamage() throws Exception {
        put(OLD_ONLY, "01");
        tamper("01", "smuggled in".getBytes(ISO_8859_1));

        try (RocksDbStore store = open(OLD_ONLY)) {
            assertThatThrownBy(() -> contentOf(store))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
                    .hasMessageContaining("is not encrypted, although all records should be")
                    .hasMessageNotContaining("smuggled");
        }
    }

    /** As with any other damage: the store stops, says why, and reports nothing more. */
    @Test
    void damageThatIsFoundWhileItRunsStopsTheStore() throws Exception {
        put(OLD_ONLY, "01");
        byte[] altered = raw().get("01");
        altered[altered.length - 1] ^= 1;
        tamper("01", altered);
        RecordingListener listener = new RecordingListener();
        RocksDbStore store = open(OLD_ONLY);
        store.start(listener);

        store.scan(1, FIRST, LAST, 10, 1000);
        listener.await("a failure", self -> !self.failures().isEmpty());
        store.close();

        assertThat(listener.scanned()).isEmpty();
        assertThat(listener.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
            assertThat(failure).hasMessageContaining("encrypted with key 'old', was altered");
        });
    }

    @Test
    void recordsOfALaterFormAreRefusedByName() throws Exception {
        put(OLD_ONLY, "01");
        byte[] later = raw().get("01");
        later[EncryptionNote.Marker.BYTES]++;
        tamper("01", later);

        try (RocksDbStore store = open(OLD_ONLY)) {
            assertThatThrownBy(() -> contentOf(store))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NEWER_VERSION))
                    .hasMessageContaining("of form 2, this version knows up to 1");
        }
    }
}
