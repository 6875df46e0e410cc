package io.georep.bench.micro;

import com.sun.management.OperatingSystemMXBean;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.store.rocksdb.RocksDbStore;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Drives the RocksDB store as the outbox does and prints what it costs. Arguments are {@code name=value}:
 *
 * <ul>
 *   <li>{@code mode}: {@code churn} (entries die young) or {@code backlog} (entries pile up, then drain)
 *   <li>{@code seconds}, {@code rate} (turns per second, 0 for as many as possible), {@code lifetime} (milliseconds)
 *   <li>{@code entries} per turn, {@code bytes} per entry, {@code total} entries of a backlog
 *   <li>{@code durability}, {@code memtable} in MiB, {@code memtables}, {@code directory}
 *   <li>{@code native.*}: any RocksDB option
 * </ul>
 */
public final class StoreLayoutBenchmark {
    private static final int WINDOW = 4;
    private static final int FACTS_PER_SNAPSHOT = 1000;
    private static final byte BLOB = 1;
    private static final byte FACT = 2;

    private final Map<String, String> arguments;
    private final Random random = new Random(1);
    private final CountingListener listener = new CountingListener();
    private final byte[] noise = new byte[1 << 20];
    private RocksDbStore store;
    private long turn;

    /** A group of entries that is stored, and since when. */
    private record Blob(byte[] key, long bornNanos) {}

    private StoreLayoutBenchmark(Map<String, String> arguments) {
        this.arguments = arguments;
        fillWithText();
        store = open();
    }

    /** Runs one measurement. */
    public static void main(String[] args) throws Exception {
        Map<String, String> arguments = new TreeMap<>();
        for (String arg : args) {
            String[] pair = arg.split("=", 2);
            arguments.put(pair[0], pair.length == 2 ? pair[1] : "");
        }
        StoreLayoutBenchmark benchmark = new StoreLayoutBenchmark(arguments);
        try {
            if (arguments.getOrDefault("mode", "churn").equals("churn")) {
                benchmark.churn();
            } else {
                benchmark.backlog();
            }
        } finally {
            benchmark.store.close();
            deleteAll(benchmark.directory());
        }
    }

    private void churn() throws Exception {
        long lifetimeNanos = number("lifetime", 300) * 1_000_000;
        long rate = number("rate", 0);
        ArrayDeque<Blob> alive = new ArrayDeque<>();
        runChurn(2, rate, lifetimeNanos, alive);
        Sample before = Sample.take();
        long turnsBefore = turn;
        runChurn(number("seconds", 10), rate, lifetimeNanos, alive);
        report("churn", Sample.take().since(before), turn - turnsBefore);
    }

    private void runChurn(long seconds, long rate, long lifetimeNanos, ArrayDeque<Blob> alive) throws Exception {
        long start = System.nanoTime();
        long end = start + seconds * 1_000_000_000;
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
        listener.await(turn);
    }

    private void backlog() throws Exception {
        long blobs = number("total", 10_000_000) / number("entries", 100);
        Sample before = Sample.take();
        for (long i = 0; i < blobs; i++) {
            StoreBatch batch = new StoreBatch();
            batch.put(key(BLOB, turn), blob());
            addFact(batch);
            batch.requireDurable();
            submit(batch);
        }
        listener.await(turn);
        report("fill", Sample.take().since(before), turn);
        reopen();
        before = Sample.take();
        long start = turn;
        long blob = 0;
        while (blob < blobs) {
            // As the origin pages its backlog: a page of blobs from the last position on, then their deletes.
            store.scan(blob, key(BLOB, blob), key((byte) (BLOB + 1), 0), 16, 1 << 20);
            long found = listener.awaitScan();
            StoreBatch batch = new StoreBatch();
            for (long i = 0; i < found; i++) {
                batch.deleteOnce(key(BLOB, blob++));
            }
            addFact(batch);
            submit(batch);
        }
        listener.await(turn - start);
        report("drain", Sample.take().since(before), blobs);
    }

    private void reopen() throws Exception {
        long start = System.nanoTime();
        store.close();
        long closed = System.nanoTime();
        store = open();
        long[] bytes = new long[1];
        store.scanNow(key(FACT, 0), key((byte) (FACT + 1), 0), (key, value) -> ++bytes[0] > 0);
        System.out.printf(
                Locale.ROOT,
                "close %.2f s, open and read facts %.2f s%n",
                (closed - start) / 1e9,
                (System.nanoTime() - closed) / 1e9);
    }

    private RocksDbStore open() {
        RocksDbStoreConfig.Builder config = RocksDbStoreConfig.builder(NodeId.of("bench"), "bench")
                .durability(Durability.valueOf(arguments.getOrDefault("durability", "FSYNC")))
                .verifyOnOpen(number("verify", 1) == 1)
                .memtableBytes(number("memtable", 32) << 20)
                .memtableCountMax((int) number("memtables", 6));
        arguments.forEach((name, value) -> {
            if (name.startsWith("native.")) {
                config.nativeOption(name.substring("native.".length()), value);
            }
        });
        RocksDbStore opened = RocksDbStore.open(directory(), config.build());
        listener.reset();
        opened.start(listener);
        return opened;
    }

    private void submit(StoreBatch batch) throws InterruptedException {
        store.submit(batch);
        turn++;
        listener.submitted();
    }

    private void addFact(StoreBatch batch) {
        batch.put(key(FACT, turn), new Slice(noise, random.nextInt(1000), 60));
        if (turn % FACTS_PER_SNAPSHOT == 0) {
            batch.deleteRange(key(FACT, 0), key(FACT, turn));
        }
    }

    private Slice blob() {
        int bytes = (int) (number("entries", 100) * number("bytes", 300));
        return new Slice(noise, random.nextInt(noise.length - bytes), bytes);
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

    private long number(String name, long otherwise) {
        return arguments.containsKey(name) ? Long.parseLong(arguments.get(name)) : otherwise;
    }

    private Path directory() {
        return Path.of(arguments.getOrDefault("directory", "target/store-layout"));
    }

    private void report(String what, Sample cost, long turns) throws IOException {
        double payload = (double) turns * number("entries", 100) * number("bytes", 300);
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

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
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

    /** Keeps a bounded number of batches under way, as the driver does. */
    private static final class CountingListener implements EntryStore.Listener {
        private long submitted;
        private long durable;
        private long scanned = -1;

        synchronized void reset() {
            submitted = 0;
            durable = 0;
        }

        synchronized void submitted() throws InterruptedException {
            submitted++;
            while (submitted - durable >= WINDOW) {
                wait();
            }
        }

        synchronized void await(long number) throws InterruptedException {
            while (durable < number) {
                wait();
            }
        }

        synchronized long awaitScan() throws InterruptedException {
            while (scanned < 0) {
                wait();
            }
            long found = scanned;
            scanned = -1;
            return found;
        }

        @Override
        public synchronized void durable(long batchNumber) {
            durable = batchNumber;
            notifyAll();
        }

        @Override
        public synchronized void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
            scanned = pairs.size();
            notifyAll();
        }

        @Override
        public void full(boolean full) {
            System.out.println("full: " + full);
        }

        @Override
        public void failed(StoreException cause) {
            throw cause;
        }
    }
}
