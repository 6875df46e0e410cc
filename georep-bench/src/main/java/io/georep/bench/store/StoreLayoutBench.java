package io.georep.bench.store;

import com.sun.management.OperatingSystemMXBean;
import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Drives the RocksDB store as the outbox does and prints what it costs: processor time, bytes written for each byte of
 * payload, memory.
 */
@Command(
        name = "georep-bench/run StoreLayoutBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "What the RocksDB store costs, driven as the outbox drives it.")
public final class StoreLayoutBench implements Callable<Integer> {
    private static final int WINDOW = 4;
    private static final int FACTS_PER_SNAPSHOT = 1000;
    private static final byte BLOB = 1;
    private static final byte FACT = 2;

    /** What entries do. */
    enum Shape {
        /** They die young. */
        CHURN,
        /** They pile up, then drain. */
        BACKLOG
    }

    @Option(names = "--mode", defaultValue = "CHURN", description = "${COMPLETION-CANDIDATES}.")
    private Shape mode = Shape.CHURN;

    @Range(min = 1, max = 86_400)
    @Option(names = "--seconds", defaultValue = "10", description = "Seconds of churn measured.")
    private long seconds;

    @Range(min = 0, max = 1_000_000)
    @Option(names = "--rate", defaultValue = "0", description = "Turns per second of churn; 0 for as many as possible.")
    private long rate;

    @Range(min = 0, max = 86_400_000)
    @Option(names = "--lifetime", defaultValue = "300", description = "Milliseconds an entry lives in churn.")
    private long lifetimeMillis;

    @Range(min = 1, max = 1_000_000_000)
    @Option(names = "--total", defaultValue = "10000000", description = "Entries of a backlog.")
    private long total;

    @Range(min = 1, max = 1_000)
    @Option(names = "--entries", defaultValue = "100", description = "Entries per turn.")
    private int entries;

    @Range(min = 1, max = 1_000)
    @Option(names = "--bytes", defaultValue = "300", description = "Bytes per entry.")
    private int bytes;

    @Option(names = "--durability", defaultValue = "FSYNC", description = "${COMPLETION-CANDIDATES}.")
    private Durability durability = Durability.FSYNC;

    @Option(names = "--memtable", defaultValue = "32", description = "MiB of recent changes in one buffer.")
    private long memtableMiB;

    @Option(names = "--memtables", defaultValue = "6", description = "Buffers.")
    private int memtables;

    @Option(names = "--verify", arity = "1", defaultValue = "true", description = "Whether the start checks all files.")
    private boolean verify;

    @Option(names = "--native", paramLabel = "OPTION=VALUE", description = "Any RocksDB option; may be repeated.")
    private Map<String, String> nativeOptions = Map.of();

    private final Random random = new Random(1);
    private final byte[] noise = new byte[1 << 20];
    private StoreProgress progress = new StoreProgress();
    private @Nullable Path directory;
    private @Nullable RocksDbStore store;
    private long turn;

    /** A group of entries that is stored, and since when. */
    private record Blob(byte[] key, long bornNanos) {}

    private StoreLayoutBench() {
        fillWithText();
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new StoreLayoutBench(), args);
    }

    @Override
    public Integer call() throws Exception {
        try (Workspace workspace = Workspace.create("georep-store-")) {
            directory = workspace.directory().resolve("data");
            open();
            try {
                if (mode == Shape.CHURN) {
                    churn();
                } else {
                    backlog();
                }
            } finally {
                store().close();
            }
        }
        return 0;
    }

    private RocksDbStore store() {
        return Objects.requireNonNull(store, "opened");
    }

    private void churn() throws Exception {
        ArrayDeque<Blob> alive = new ArrayDeque<>();
        runChurn(2, alive);
        Sample before = Sample.take();
        long turnsBefore = turn;
        runChurn(seconds, alive);
        report("churn", Sample.take().since(before), turn - turnsBefore);
    }

    private void runChurn(long atMostSeconds, ArrayDeque<Blob> alive) throws Exception {
        long lifetimeNanos = lifetimeMillis * 1_000_000;
        long start = System.nanoTime();
        long end = start + atMostSeconds * 1_000_000_000;
        long first = turn;
        for (long now = start; now < end; now = System.nanoTime()) {
            if (rate > 0 && (turn - first) * 1_000_000_000 / rate > now - start) {
                Thread.sleep(0, 200_000);
                continue;
            }
            StoreBatch batch = new StoreBatch();
            byte[] key = key(BLOB, turn);
            batch.put(key, blob());
            alive.add(new Blob(key, now));
            while (alive.element().bornNanos() + lifetimeNanos < now) {
                batch.deleteOnce(alive.remove().key());
            }
            addFact(batch);
            batch.requireDurable();
            submit(batch);
        }
        progress.awaitAll();
    }

    private void backlog() throws Exception {
        long blobs = total / entries;
        Sample before = Sample.take();
        for (long i = 0; i < blobs; i++) {
            StoreBatch batch = new StoreBatch();
            batch.put(key(BLOB, turn), blob());
            addFact(batch);
            batch.requireDurable();
            submit(batch);
        }
        progress.awaitAll();
        report("fill", Sample.take().since(before), turn);
        reopen();
        before = Sample.take();
        long blob = 0;
        while (blob < blobs) {
            // As the origin pages its backlog: a page of blobs from the last position on, then their deletes.
            store().scan(blob, key(BLOB, blob), key((byte) (BLOB + 1), 0), 16, 1 << 20);
            long found = progress.awaitScan().size();
            StoreBatch batch = new StoreBatch();
            for (long i = 0; i < found; i++) {
                batch.deleteOnce(key(BLOB, blob++));
            }
            addFact(batch);
            submit(batch);
        }
        progress.awaitAll();
        report("drain", Sample.take().since(before), blobs);
    }

    private void reopen() throws Exception {
        long start = System.nanoTime();
        store().close();
        long closed = System.nanoTime();
        open();
        long[] facts = new long[1];
        store().scanNow(key(FACT, 0), key((byte) (FACT + 1), 0), (key, value) -> ++facts[0] > 0);
        System.out.printf(
                Locale.ROOT,
                "close %.2f s, open and read %d facts %.2f s%n",
                (closed - start) / 1e9,
                facts[0],
                (System.nanoTime() - closed) / 1e9);
    }

    private void open() {
        RocksDbStoreConfig.Builder config = RocksDbStoreConfig.builder(NodeId.of("bench"), "bench")
                .durability(durability)
                .verifyOnOpen(verify)
                .memtableBytes(memtableMiB << 20)
                .memtableCountMax(memtables);
        nativeOptions.forEach(config::nativeOption);
        RocksDbStore opened = RocksDbStore.open(Objects.requireNonNull(directory), config.build());
        progress = new StoreProgress();
        opened.start(progress);
        store = opened;
    }

    private void submit(StoreBatch batch) throws InterruptedException {
        store().submit(batch);
        turn++;
        progress.submitted(WINDOW);
    }

    private void addFact(StoreBatch batch) {
        batch.put(key(FACT, turn), new Slice(noise, random.nextInt(1000), 60));
        if (turn % FACTS_PER_SNAPSHOT == 0) {
            batch.deleteRange(key(FACT, 0), key(FACT, turn));
        }
    }

    private Slice blob() {
        int length = entries * bytes;
        return new Slice(noise, random.nextInt(noise.length - length), length);
    }

    /** Digits and letters: text compresses about as well as short messages do. */
    private void fillWithText() {
        String letters = "0123456789abcdef ,.:{}\"etaoin";
        for (int i = 0; i < noise.length; i++) {
            noise[i] = (byte) letters.charAt(random.nextInt(letters.length()));
        }
    }

    private static byte[] key(byte kind, long number) {
        return ByteBuffer.allocate(26)
                .put((byte) 2)
                .put(kind)
                .putLong(0)
                .putLong(1)
                .putLong(number)
                .array();
    }

    private void report(String what, Sample cost, long turns) throws IOException {
        double payload = (double) turns * entries * bytes;
        System.out.printf(
                Locale.ROOT,
                "%-6s %8.0f turns/s %7.1f MB/s | CPU %7.1f us/turn, store thread %6.1f | written %.2f x payload"
                        + " | RSS %d MB, peak %d MB, heap %d MB%n",
                what,
                turns / cost.seconds(),
                payload / 1e6 / cost.seconds(),
                cost.cpuNanos() / 1e3 / turns,
                cost.storeNanos() / 1e3 / turns,
                cost.writtenBytes() / payload,
                status("VmRSS"),
                status("VmHWM"),
                Runtime.getRuntime().totalMemory() >> 20);
    }

    private static long status(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("\\D+", "")) >> 10;
            }
        }
        return 0;
    }

    /** What the process had used up at one moment. */
    private record Sample(double seconds, long cpuNanos, long storeNanos, long writtenBytes) {
        static Sample take() throws IOException {
            OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            var threads = ManagementFactory.getThreadMXBean();
            long storeNanos = 0;
            for (var thread : threads.getThreadInfo(threads.getAllThreadIds())) {
                if (thread != null && thread.getThreadName().startsWith("georep-store")) {
                    storeNanos = threads.getThreadCpuTime(thread.getThreadId());
                }
            }
            long written = Long.parseLong(
                    Files.readAllLines(Path.of("/proc/self/io")).get(1).replaceAll("\\D+", ""));
            return new Sample(System.nanoTime() / 1e9, system.getProcessCpuTime(), storeNanos, written);
        }

        Sample since(Sample before) {
            return new Sample(
                    seconds - before.seconds,
                    cpuNanos - before.cpuNanos,
                    storeNanos - before.storeNanos,
                    writtenBytes - before.writtenBytes);
        }
    }
}
