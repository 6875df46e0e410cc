package io.georep.store.rocksdb;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.spi.StoreBatch;
import io.georep.store.RecordingListener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What recovery makes of a store that was cut off, or damaged, at any place. */
class StoreRecoveryTest {
    private static final int FLUSHED = 60;
    private static final int PROMISED = 100;
    private static final int WRITTEN = 140;
    private static final String WAL = "\\d+\\.log";
    private static final String TABLE = "\\d+\\.sst";

    private final Workload workload = new Workload(3000);
    private final RocksDbStoreConfig config = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
            .durability(Durability.FSYNC)
            .minFreeBytes(0)
            .build();

    @TempDir
    Path temporary;

    /**
     * What a crash leaves when the last writes were under way: table files up to batch {@link #FLUSHED}, a log up to
     * {@link #WRITTEN}, completions reported up to {@link #PROMISED}.
     */
    private StoreImage crashed;

    /** Size of the log when the last promise was made. */
    private long promisedBytes;

    private int copies;

    @BeforeEach
    void crash() throws Exception {
        Path directory = temporary.resolve("store");
        RocksDbStore store = RocksDbStore.open(directory, config);
        run(store, 1, FLUSHED);
        store.close();
        // Recovery writes the log to a table file.
        store = RocksDbStore.open(directory, config);
        RecordingListener listener = run(store, FLUSHED + 1, PROMISED);
        Path mark = temporary.resolve("mark");
        Files.copy(directory.resolve(StoreDirectory.MARK), mark);
        promisedBytes = Files.size(new StoreImage(directory).file(WAL));
        submit(store, PROMISED + 1, WRITTEN);
        listener.awaitDurable(WRITTEN - FLUSHED);
        crashed = StoreImage.copyOf(directory, temporary.resolve("crashed"));
        store.close();
        Files.delete(crashed.directory().resolve(StoreDirectory.MARK));
        Files.copy(mark, crashed.directory().resolve(StoreDirectory.MARK));
    }

    @Test
    void keepsEverythingThatReachedTheLog() {
        assertThat(reopened(crashed)).isEqualTo(WRITTEN);
    }

    @Test
    void leavesNothingToRecoverWhenItIsClosed() throws Exception {
        assertThat(Files.size(crashed.file(WAL))).isGreaterThan(promisedBytes);
        assertThat(reopened(crashed)).isEqualTo(WRITTEN);
        RocksDbStore store = RocksDbStore.open(crashed.directory(), config);
        run(store, WRITTEN + 1, WRITTEN + 50);
        store.close();
        assertThat(Files.size(crashed.file(WAL)))
                .as("nothing but its head, which names the log before")
                .isLessThan(64);
        assertThat(reopened(crashed)).isEqualTo(WRITTEN + 50);
    }

    @Test
    void opensALogTornBehindTheLastPromise() throws Exception {
        long size = Files.size(crashed.file(WAL));

        for (long cut : offsets(promisedBytes, size, 12)) {
            StoreImage torn = copy();
            StoreImage.truncate(torn.file(WAL), cut);
            assertThat(reopened(torn)).as("log cut at %d of %d", cut, size).isBetween(PROMISED, WRITTEN);
        }
    }

    @Test
    void refusesALogCutBeforeTheLastPromise() throws Exception {
        for (long cut : offsets(0, promisedBytes - 1, 12)) {
            StoreImage cutOff = copy();
            StoreImage.truncate(cutOff.file(WAL), cut);
            assertRefused(cutOff, "log cut at " + cut + " of " + promisedBytes);
        }
    }

    @Test
    void promisesNothingForBatchesThatNeedNotBeSynced() throws Exception {
        StoreImage image = copy();
        RocksDbStore store = RocksDbStore.open(image.directory(), config);
        RecordingListener listener = new RecordingListener();
        store.start(listener);
        StoreBatch weak = new StoreBatch().within(3, Durability.OS);
        weak.put(new byte[] {3}, Slice.utf8("weak"));
        weak.requireDurable();
        store.submit(weak);
        listener.awaitDurable(1);
        StoreImage afterwards = StoreImage.copyOf(image.directory(), temporary.resolve("afterwards"));
        StoreImage cut = afterwards.copyTo(temporary.resolve("cut"));
        store.close();

        StoreImage.truncate(cut.file(WAL), 0);

        try (RocksDbStore kept = RocksDbStore.open(afterwards.directory(), config)) {
            assertThat(weakly(kept)).as("the process was killed").isEqualTo("weak");
        }
        try (RocksDbStore lost = RocksDbStore.open(cut.directory(), config)) {
            assertThat(weakly(lost)).as("the machine lost its power").isEmpty();
            assertThat(workload.prefixIn(lost)).isEqualTo(WRITTEN);
        }
    }

    private static String weakly(RocksDbStore store) {
        StringBuilder found = new StringBuilder();
        store.scanNow(new byte[] {3}, new byte[] {4}, (key, value) -> {
            found.append(new String(value.toArray(), StandardCharsets.UTF_8));
            return true;
        });
        return found.toString();
    }

    @Test
    void opensALogThatEndsInGarbage() throws Exception {
        for (int fill : new int[] {0, 0xff, 0x5a}) {
            StoreImage torn = copy();
            Path log = torn.file(WAL);
            byte[] garbage = new byte[70_000];
            Arrays.fill(garbage, (byte) fill);
            StoreImage.truncate(log, promisedBytes + 1000);
            Files.write(log, garbage, StandardOpenOption.APPEND);
            assertThat(reopened(torn)).as("garbage %x", fill).isBetween(PROMISED, WRITTEN);
        }
    }

    @Test
    void writesOnAfterATornLog() throws Exception {
        StoreImage torn = copy();
        StoreImage.truncate(torn.file(WAL), promisedBytes + 500);
        RocksDbStore store = RocksDbStore.open(torn.directory(), config);
        int prefix = workload.prefixIn(store);

        run(store, prefix + 1, prefix + 50);
        StoreImage again = StoreImage.copyOf(torn.directory(), temporary.resolve("again"));
        store.close();

        assertThat(reopened(again)).isEqualTo(prefix + 50);
        assertThat(reopened(torn)).isEqualTo(prefix + 50);
    }

    @Test
    void refusesADamagedLog() throws Exception {
        for (long position : offsets(0, promisedBytes - 1, 20)) {
            StoreImage damaged = copy();
            StoreImage.flip(damaged.file(WAL), position, 0x40);
            assertRefused(damaged, "log flipped at " + position);
        }
    }

    @Test
    void refusesADamagedTable() throws Exception {
        long size = Files.size(crashed.file(TABLE));

        for (long position : offsets(0, size - 1, 10)) {
            StoreImage damaged = copy();
            StoreImage.flip(damaged.file(TABLE), position, 0x04);
            assertHarmless(damaged, "table flipped at " + position + " of " + size);
        }
        StoreImage damaged = copy();
        StoreImage.flip(damaged.file(TABLE), size / 2, 0x04);
        assertRefused(damaged, "table flipped in the middle");
    }

    @Test
    void refusesADamagedManifest() throws Exception {
        long size = Files.size(crashed.file("MANIFEST.*"));

        for (long position : offsets(0, size - 1, 10)) {
            StoreImage damaged = copy();
            StoreImage.flip(damaged.file("MANIFEST.*"), position, 0x10);
            assertHarmless(damaged, "manifest flipped at " + position + " of " + size);
        }
        StoreImage damaged = copy();
        StoreImage.flip(damaged.file("MANIFEST.*"), size / 2, 0x10);
        assertRefused(damaged, "manifest flipped in the middle");
    }

    @Test
    void refusesWhenAnyFileItNeedsIsMissing() throws Exception {
        for (String needed : List.of("CURRENT", "MANIFEST.*", TABLE, WAL, "georep.properties", "georep.mark")) {
            StoreImage damaged = copy();
            Files.delete(damaged.file(needed));
            assertRefused(damaged, needed + " is missing");
        }
    }

    @Test
    void leavesARefusedDirectoryAsItWas() throws Exception {
        StoreImage damaged = copy();
        Path log = damaged.file(WAL);
        byte[] whole = Files.readAllBytes(log);
        StoreImage.flip(log, promisedBytes / 2, 1);
        assertRefused(damaged, "log flipped");

        Files.write(log, whole);

        assertThat(reopened(damaged)).isEqualTo(WRITTEN);
    }

    @Test
    void namesDirectoryCauseAndRemedyOfDamage() throws Exception {
        StoreImage damaged = copy();
        StoreImage.truncate(damaged.file(WAL), promisedBytes / 2);

        assertThatThrownBy(() -> RocksDbStore.open(damaged.directory(), config))
                .hasMessageContaining(damaged.directory().toString())
                .hasMessageContaining("were reported durable")
                .hasMessageContaining("restore");
    }

    @Test
    void survivesRandomHarmOrRefuses() throws Exception {
        harmAtRandom(7, 40);
    }

    /** Run it with {@code ./mvnw -Dgroups=soak -Dseed=…}. */
    @Test
    @Tag("soak")
    void survivesMuchRandomHarmOrRefuses() throws Exception {
        harmAtRandom(Long.getLong("seed", System.nanoTime()), 2000);
    }

    private void harmAtRandom(long seed, int rounds) throws Exception {
        Random random = new Random(seed);
        List<String> opened = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            StoreImage damaged = copy();
            String harm = damaged.harm(random);
            if (random.nextInt(4) == 0 && !harm.contains(StoreDirectory.MARK)) {
                // Without the mark, damage to the log cannot be told from a torn end: that takes two faults.
                Files.move(
                        damaged.directory().resolve(StoreDirectory.MARK),
                        temporary.resolve("set aside"),
                        REPLACE_EXISTING);
                harm += " and " + damaged.harm(random);
                Files.move(temporary.resolve("set aside"), damaged.directory().resolve(StoreDirectory.MARK));
            }
            if (assertHarmless(damaged, "seed " + seed + ": " + harm)) {
                opened.add(harm);
            }
            damaged.delete();
        }

        assertThat(opened).isNotEmpty().hasSizeLessThan(rounds);
    }

    /** Opens with everything promised, or is refused. Returns whether it opened. */
    private boolean assertHarmless(StoreImage image, String harm) {
        try {
            assertThat(reopened(image)).as(harm).isBetween(PROMISED, WRITTEN);
            return true;
        } catch (StoreException e) {
            assertThat(e.kind()).as(harm + ": " + e.getMessage()).isNotIn(Kind.LOCKED, Kind.FULL);
            return false;
        } catch (AssertionError e) {
            throw new AssertionError(harm + ": " + e.getMessage(), e);
        }
    }

    private void assertRefused(StoreImage image, String harm) {
        assertThatThrownBy(() -> reopened(image))
                .as(harm)
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(Kind.CORRUPT));
    }

    private int reopened(StoreImage image) {
        try (RocksDbStore store = RocksDbStore.open(image.directory(), config)) {
            return workload.prefixIn(store);
        }
    }

    private StoreImage copy() throws Exception {
        return crashed.copyTo(temporary.resolve("copy" + ++copies));
    }

    /** Both ends, and places in between. */
    private static TreeSet<Long> offsets(long first, long last, int count) {
        TreeSet<Long> offsets = new TreeSet<>(List.of(first, Math.min(first + 1, last), last));
        new Random(3).longs(count, first, last).forEach(offsets::add);
        return offsets;
    }

    private RecordingListener run(RocksDbStore store, int first, int last) {
        RecordingListener listener = new RecordingListener();
        store.start(listener);
        submit(store, first, last);
        listener.awaitDurable(last - first + 1);
        return listener;
    }

    private void submit(RocksDbStore store, int first, int last) {
        for (int number = first; number <= last; number++) {
            store.submit(workload.batch(number));
        }
    }
}
