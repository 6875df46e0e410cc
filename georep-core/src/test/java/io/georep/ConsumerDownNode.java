package io.georep;

import com.sun.management.OperatingSystemMXBean;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.spi.EntryStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/**
 * The process of {@link ConsumerDownTest}: a node with its store on disk and default settings. Its consumer takes some
 * entries, is down until all others have failed some times, and comes back.
 */
final class ConsumerDownNode {
    private static final int SENT_TOGETHER_BYTES = 4 << 20;
    private static final int SENT_TOGETHER_MAX = 5_000;

    /** Reads of the store. */
    private static final AtomicLong READS = new AtomicLong();

    private final int bytes;
    private final int failures;
    private final Outbox<byte[]> outbox;
    private final BitSet forwarded = new BitSet();
    private int sent;

    private volatile boolean down;
    private volatile CountDownLatch entriesLeft = new CountDownLatch(0);

    /** By the number in the entry; on a slow machine some have failed three times before others failed once. */
    private volatile int[] failuresOf = {};

    /** That failed. */
    private int calls;

    private ConsumerDownNode(GeoRepNode node, int bytes, int failures) {
        this.bytes = bytes;
        this.failures = failures;
        this.outbox = node.outbox("q", byte[].class, options -> options.f(0));
    }

    /**
     * Runs it.
     *
     * @param arguments directory, entries, bytes of each, how often each fails
     */
    public static void main(String[] arguments) throws Exception {
        int entries = Integer.parseInt(arguments[1]);
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("solo")
                .dataDir(Path.of(arguments[0]))
                .store(settings -> new CountingStore(DefaultStores.open(settings, null)))
                .expectedAway(Duration.ZERO)
                .start()) {
            new ConsumerDownNode(node, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3])).run(entries);
        }
        System.out.println("ended");
    }

    private void run(int entries) throws Exception {
        Forwarding forwarding = outbox.forward(delivery -> handle(delivery.payload()), options -> options.paused());
        send(entries / 4);
        Cost up = new Cost();
        forwarding.resume();
        awaitForwarded();
        up.print("up", sent);

        forwarding.pause();
        send(entries);
        calls = 0;
        failuresOf = new int[sent];
        entriesLeft = new CountDownLatch(entries);
        down = true;
        Cost cost = new Cost();
        forwarding.resume();
        if (!entriesLeft.await(2, TimeUnit.MINUTES)) {
            throw new IllegalStateException(
                    entriesLeft.getCount() + " of " + entries + " entries were not tried " + failures + " times");
        }
        cost.print("down", calls);
        forwarding.pause();
        await(() -> outbox.statistics().parked() == entries);
        long waiting = liveHeap();

        down = false;
        forwarding.resume();
        awaitForwarded();
        System.out.println("heap " + (waiting - liveHeap()));
        System.out.println("forwarded " + forwarded.cardinality() + " of " + sent);
    }

    private void send(int entries) throws Exception {
        int together = Math.max(1, Math.min(SENT_TOGETHER_MAX, SENT_TOGETHER_BYTES / bytes));
        for (int left = entries; left > 0; left -= together) {
            List<byte[]> payloads = new ArrayList<>();
            for (int i = 0; i < Math.min(left, together); i++) {
                payloads.add(ByteBuffer.allocate(bytes).putInt(sent++).array());
            }
            for (CompletionStage<?> stage : outbox.sendAll(payloads)) {
                stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
            }
        }
    }

    /** On the one thread of the handler. */
    private void handle(byte[] payload) throws IOException {
        int number = ByteBuffer.wrap(payload).getInt();
        if (down) {
            calls++;
            if (++failuresOf[number] == failures) {
                entriesLeft.countDown();
            }
            throw new IOException("the consumer is down");
        }
        forwarded.set(number);
    }

    private void awaitForwarded() {
        await(() -> outbox.statistics().forwarded() == sent);
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(5))
                .until(condition::getAsBoolean);
    }

    /** The least of several looks: a thread may be about to let go of something. */
    private static long liveHeap() {
        long least = Long.MAX_VALUE;
        for (int look = 0; look < 5; look++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** Processor time and reads from now on. */
    private static final class Cost {
        private static final OperatingSystemMXBean SYSTEM =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

        private final long cpuNanos = SYSTEM.getProcessCpuTime();
        private final long reads = READS.get();

        void print(String name, long perCalls) {
            System.out.println(name + " " + (SYSTEM.getProcessCpuTime() - cpuNanos) / perCalls + " "
                    + (READS.get() - reads) * 1000 / perCalls);
        }
    }

    private static final class CountingStore extends WrappedStore {
        CountingStore(EntryStore store) {
            super(store);
        }

        @Override
        public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
            READS.incrementAndGet();
            super.scan(token, from, to, pairsMax, bytesMax);
        }
    }
}
