package io.georep.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What every {@link EntryStore} promises. */
public abstract class EntryStoreContract extends StoreTestBed {
    @Test
    void keepsPairsInUnsignedKeyOrder() {
        apply(batch -> put(put(batch, "ff", "e"), "7f", "c"));
        apply(batch -> put(put(batch, "00", "a"), "80", "d"));
        apply(batch -> put(batch, "0000", "b"));

        assertThat(content()).containsExactly("00=a", "0000=b", "7f=c", "80=d", "ff=e");
    }

    @Test
    void acceptsEmptyKeysAndValues() {
        apply(batch -> put(put(batch, "", "at the empty key"), "01", ""));

        assertThat(content()).containsExactly("=at the empty key", "01=");
    }

    @Test
    void storesPartOfAnArray() {
        Slice middle = new Slice(new byte[] {'a', 'b', 'c', 'd'}, 1, 2);

        apply(batch -> batch.put(key("01"), middle));

        assertThat(content()).containsExactly("01=bc");
    }

    @Test
    void storesValuesOfEverySize() {
        int[] sizes = {1, 1023, 1024, 65_536, 262_143, 262_144, 262_145, 1_500_000};
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            byte[] value = new byte[sizes[i]];
            new Random(i).nextBytes(value);
            values.add(value);
            byte[] key = {(byte) i};
            submit(batch -> batch.put(key, Slice.of(value)));
        }
        sync();

        assertThat(scan("", "ff", 100, Long.MAX_VALUE).pairs())
                .extracting(pair -> pair.value().toArray())
                .containsExactlyElementsOf(values);
    }

    @Test
    void deletesKeys() {
        apply(batch -> put(put(put(batch, "01", "a"), "02", "b"), "03", "c"));
        apply(batch -> put(batch, "01", "overwritten"));
        apply(batch -> batch.delete(key("01")));
        apply(batch -> batch.deleteOnce(key("02")));

        assertThat(content()).containsExactly("03=c");
    }

    @Test
    void setsAgainWhatWasDeleted() {
        apply(batch -> put(put(batch, "01", "a"), "02", "b"));
        apply(batch -> batch.delete(key("01")));
        apply(batch -> batch.deleteOnce(key("02")));
        apply(batch -> put(put(batch, "01", "c"), "02", "d"));
        assertThat(content()).containsExactly("01=c", "02=d");

        apply(batch -> batch.deleteOnce(key("02")));
        assertThat(content()).containsExactly("01=c");
    }

    @Test
    void deletesWhatIsNotThere() {
        apply(batch -> {
            batch.delete(key("01"));
            batch.deleteOnce(key("02"));
            batch.deleteRange(key("03"), key("04"));
        });

        assertThat(content()).isEmpty();
    }

    @Test
    void deletesRangesWithoutTheirEnd() {
        apply(batch -> put(put(put(put(batch, "01", "a"), "02", "b"), "02ff", "c"), "03", "d"));

        apply(batch -> batch.deleteRange(key("02"), key("03")));

        assertThat(content()).containsExactly("01=a", "03=d");
    }

    @Test
    void deletesNothingInAnEmptyOrInvertedRange() {
        apply(batch -> put(put(batch, "01", "a"), "02", "b"));

        apply(batch -> {
            batch.deleteRange(key("01"), key("01"));
            batch.deleteRange(key("03"), key("01"));
        });

        assertThat(content()).containsExactly("01=a", "02=b");
    }

    @Test
    void appliesChangesOfOneBatchInOrder() {
        apply(batch -> {
            put(batch, "01", "first");
            batch.delete(key("01"));
            put(batch, "01", "second");
            put(batch, "02", "gone");
            batch.deleteRange(key("02"), key("03"));
            put(batch, "03", "gone");
            batch.deleteOnce(key("03"));
        });

        assertThat(content()).containsExactly("01=second");
    }

    @Test
    void appliesBatchesInOrder() {
        for (int i = 0; i < 200; i++) {
            String value = String.valueOf(i);
            submit(batch -> put(batch, "01", value));
        }
        sync();

        assertThat(content()).containsExactly("01=199");
    }

    @Test
    void completesInOrderUpToTheLastBatch() {
        for (int i = 0; i < 1000; i++) {
            byte[] key = {(byte) (i >> 8), (byte) i};
            boolean isDurable = i % 3 == 0;
            submit(batch -> {
                batch.put(key, text("v"));
                if (isDurable) {
                    batch.requireDurable();
                }
            });
        }
        listener.awaitDurable(1000);

        assertThat(listener.durable()).isSorted().doesNotHaveDuplicates().endsWith(1000L);
    }

    @Test
    void completesBatchesThatNeedNotBeDurable() {
        submit(batch -> put(batch, "01", "a"));

        listener.awaitDurable(1);
        assertThat(content()).containsExactly("01=a");
    }

    @Test
    void completesBatchesOfEveryLevelInOrder() {
        for (Durability level : Durability.values()) {
            submit(batch -> put(batch.within(1, level), "01", level.name()).requireDurable());
        }

        listener.awaitDurable(3);
        assertThat(content()).containsExactly("01=" + Durability.values()[2].name());
    }

    @Test
    void completesEmptyBatches() {
        submit(batch -> {});
        listener.awaitDurable(1);
        submit(StoreBatch::requireDurable);
        listener.awaitDurable(2);

        assertThat(listener.durable()).containsExactly(1L, 2L);
    }

    @Test
    void scanSeesWhatWasSubmittedBeforeItAndNothingLater() {
        for (int i = 0; i < 50; i++) {
            byte[] key = {(byte) i};
            submit(batch -> batch.put(key, text("v")));
            store.scan(++token, FIRST, LAST, 1000, Long.MAX_VALUE);
        }

        for (int i = 1; i <= 50; i++) {
            assertThat(listener.awaitScanned(i).pairs()).hasSize(i);
        }
        assertThat(listener.scanned())
                .extracting(RecordingListener.Scanned::token)
                .isSorted();
        listener.awaitDurable(50);
    }

    @Test
    void completesWhatADurableBatchAndAScanShareATurnWith() {
        submit(batch -> put(batch, "01", "a").requireDurable());
        store.scan(++token, FIRST, LAST, 10, 10);

        assertThat(listener.awaitScanned(token).pairs()).hasSize(1);
        listener.awaitDurable(1);
    }

    @Test
    void scansFromInclusiveToExclusive() {
        apply(batch -> put(put(put(put(batch, "01", "a"), "02", "b"), "03", "c"), "04", "d"));

        assertThat(texts(scan("02", "04", 10, 100).pairs())).containsExactly("02=b", "03=c");
        assertThat(scan("02", "02", 10, 100).pairs()).isEmpty();
        assertThat(scan("03", "02", 10, 100).pairs()).isEmpty();
        assertThat(scan("05", "06", 10, 100).more()).isFalse();
    }

    @Test
    void cutsScansAtTheNumberOfPairs() {
        apply(batch -> put(put(put(batch, "01", "a"), "02", "b"), "03", "c"));

        RecordingListener.Scanned cut = scan("", "ff", 2, 100);
        RecordingListener.Scanned whole = scan("", "ff", 3, 100);

        assertThat(texts(cut.pairs())).containsExactly("01=a", "02=b");
        assertThat(cut.more()).isTrue();
        assertThat(whole.pairs()).hasSize(3);
        assertThat(whole.more()).isFalse();
    }

    @Test
    void cutsScansAtTheSizeOfValuesButAnswersOnePair() {
        apply(batch -> put(put(put(batch, "01", "aaaaa"), "02", "bbbbb"), "03", "ccccc"));

        assertThat(texts(scan("", "ff", 10, 1).pairs())).containsExactly("01=aaaaa");
        assertThat(scan("", "ff", 10, 1).more()).isTrue();
        assertThat(scan("", "ff", 10, 10).pairs()).hasSize(2);
        assertThat(scan("", "ff", 10, 15).more()).isFalse();
        assertThat(scan("03", "ff", 10, 1).more()).isFalse();
    }

    @Test
    void bootScanVisitsUntilToldToStop() throws Exception {
        apply(batch -> put(put(put(batch, "01", "a"), "02", "b"), "03", "c"));
        closeAndReopen();
        List<String> visited = new ArrayList<>();

        store.scanNow(key("02"), key("ff"), (key, value) -> {
            visited.add(text(key, value));
            return false;
        });

        assertThat(visited).containsExactly("02=b");
        assertThat(content()).hasSize(3);
    }

    @Test
    void closeMakesEverythingSubmittedDurable() throws Exception {
        for (int i = 0; i < 500; i++) {
            byte[] key = {(byte) (i >> 8), (byte) i};
            submit(batch -> batch.put(key, text("v")));
        }
        closeAndReopen();

        assertThat(content()).hasSize(500);
    }

    @Test
    void reportsNothingAfterClose() {
        for (int i = 0; i < 500; i++) {
            submit(batch -> put(batch, "01", "v").requireDurable());
        }
        store.close();
        List<Long> reported = listener.durable();

        assertThat(reported).endsWith(500L);
        store.close();
        assertThat(listener.durable()).isEqualTo(reported);
    }

    @Test
    void refusesWorkAfterClose() {
        store.close();

        assertThatThrownBy(() -> store.submit(new StoreBatch()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void closesAStoreThatWasNeverStarted() throws Exception {
        store.close();
        store = reopen();
        store.submit(put(new StoreBatch(), "01", "a"));
        closeAndReopen();

        assertThat(content()).containsExactly("01=a");
    }

    @Test
    void startsOnlyOnce() {
        assertThatThrownBy(() -> store.start(listener)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void reopenKeepsEverythingAndNumbersBatchesFromOneAgain() throws Exception {
        apply(batch -> put(put(batch, "01", "a"), "02", "b"));
        apply(batch -> batch.deleteOnce(key("01")));
        closeAndReopen();
        assertThat(content()).containsExactly("02=b");

        RecordingListener second = new RecordingListener();
        store.start(second);
        store.submit(put(new StoreBatch(), "03", "c"));
        second.awaitDurable(1);
        closeAndReopen();

        assertThat(second.durable()).containsExactly(1L);
        assertThat(content()).containsExactly("02=b", "03=c");
    }

    @Test
    void behavesLikeASortedMap() throws Exception {
        Random random = new Random(42);
        TreeMap<Integer, String> expected = new TreeMap<>();
        for (int round = 0; round < 300; round++) {
            StoreBatch batch = new StoreBatch();
            for (int i = random.nextInt(6); i > 0; i--) {
                change(random, batch, expected);
            }
            store.submit(batch);
            submitted++;
        }
        sync();

        List<String> texts = expected.entrySet().stream()
                .map(e -> hex(e.getKey()) + "=" + e.getValue())
                .toList();
        assertThat(content()).isEqualTo(texts);
        closeAndReopen();
        assertThat(content()).isEqualTo(texts);
    }

    private static void change(Random random, StoreBatch batch, TreeMap<Integer, String> expected) {
        int key = random.nextInt(256);
        switch (random.nextInt(5)) {
            case 0, 1 -> {
                String value = "v" + random.nextInt();
                put(batch, hex(key), value);
                expected.put(key, value);
            }
            case 2, 3 -> {
                batch.delete(key(hex(key)));
                expected.remove(key);
            }
            default -> {
                int end = Math.min(255, key + random.nextInt(10));
                batch.deleteRange(key(hex(key)), key(hex(end)));
                expected.subMap(key, Math.max(key, end)).clear();
            }
        }
    }
}
