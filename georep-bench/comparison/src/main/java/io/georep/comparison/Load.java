package io.georep.comparison;

import io.georep.bench.report.Latencies;
import io.georep.funnel.Topology;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Reads and writes of one node. Used by one thread. */
final class Load {
    /** So many reads between two looks at the clock, because most reads take less time than a look. */
    private static final int READS_AT_ONCE = 100;

    private static final int FILL_AT_ONCE = 200;
    private static final long FILL_SECONDS = 120;
    private static final int FILL_ATTEMPTS = 20;
    private static final long AFTER_FAILURE_MILLIS = 50;

    private final ComparedMap map;
    private final int index;
    private final int nodes;
    private final AtomicLong nextKey = new AtomicLong();

    Load(ComparedMap map, int index, int nodes) {
        this.map = map;
        this.index = index;
        this.nodes = nodes;
    }

    /** Writes all keys and waits. What failed is written again: a product may begin by electing somebody. */
    void fill(int keys, int bytes) throws Exception {
        for (int first = 0; first < keys; first += FILL_AT_ONCE) {
            int count = Math.min(FILL_AT_ONCE, keys - first);
            for (int attempt = 1; !filled(first, count, bytes, attempt == FILL_ATTEMPTS); attempt++) {
                TimeUnit.MILLISECONDS.sleep(AFTER_FAILURE_MILLIS);
            }
        }
    }

    private boolean filled(int first, int count, int bytes, boolean last) throws Exception {
        CompletableFuture<?>[] all = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            all[i] = map.write(key(first + i), value(bytes)).toCompletableFuture();
        }
        try {
            CompletableFuture.allOf(all).get(FILL_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (last) {
                throw e;
            }
            return false;
        }
    }

    private static String key(long number) {
        return "key " + number;
    }

    /** Begins with the time at which it was made, if there is room. */
    private static byte[] value(int bytes) {
        byte[] value = new byte[bytes];
        if (bytes >= Long.BYTES) {
            ByteBuffer.wrap(value).putLong(System.nanoTime());
        }
        return value;
    }

    private static String[] names(int keys) {
        String[] names = new String[keys];
        for (int i = 0; i < keys; i++) {
            names[i] = key(i);
        }
        return names;
    }

    private void read(String key) throws Exception {
        if (map.read(key) == null) {
            throw new IllegalStateException("'" + key + "' has no value although it was written before");
        }
    }

    /** Reads with one thread: how many reads in how many nanoseconds. */
    String readMany(int keys, int seconds) throws Exception {
        String[] names = names(keys);
        long began = System.nanoTime();
        long until = began + TimeUnit.SECONDS.toNanos(seconds);
        long count = 0;
        int next = 0;
        long now = began;
        while (now < until) {
            for (int i = 0; i < READS_AT_ONCE; i++) {
                read(names[next]);
                next = next + 1 < keys ? next + 1 : 0;
                count++;
                // A read that asks another region takes longer than a look at the clock.
                if (i % 10 == 9 && System.nanoTime() >= until) {
                    break;
                }
            }
            now = System.nanoTime();
        }
        return count + " " + (now - began);
    }

    /** Times single reads. */
    String timeReads(int keys, int seconds) throws Exception {
        String[] names = names(keys);
        Histogram latencies = Latencies.histogram();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (int next = index; System.nanoTime() < until; next = (next + 1) % keys) {
            long began = System.nanoTime();
            read(names[next]);
            latencies.recordValue(System.nanoTime() - began);
        }
        return Latencies.format(latencies);
    }

    /** Writers that each wait for one write to be done before they make the next. */
    String write(Writing how) throws InterruptedException {
        // The next write is made on a thread of its own, so that none of the product is kept busy, and none recurses.
        ScheduledExecutorService next = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "writers");
            thread.setDaemon(true);
            return thread;
        });
        Writers writers = new Writers(how, next);
        for (int i = 0; i < how.writers(); i++) {
            next.execute(writers::write);
        }
        TimeUnit.SECONDS.sleep(how.warmUpSeconds());
        Counts before = writers.begin();
        TimeUnit.SECONDS.sleep(how.seconds());
        String result = writers.end(before);
        next.shutdownNow();
        return result;
    }

    /**
     * How to write.
     *
     * @param topology null for a product that has none
     */
    record Writing(
            int writers,
            int warmUpSeconds,
            int seconds,
            int keys,
            int bytes,
            @Nullable Topology topology) {
        static Writing parse(String[] words) {
            return new Writing(
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]),
                    Integer.parseInt(words[4]),
                    Integer.parseInt(words[5]),
                    "-".equals(words[6]) ? null : Topology.valueOf(words[6]));
        }

        String command() {
            return String.format(
                    Locale.ROOT,
                    "write %d %d %d %d %d %s",
                    writers,
                    warmUpSeconds,
                    seconds,
                    keys,
                    bytes,
                    topology == null ? "-" : topology);
        }
    }

    private record Counts(long done, long failed, long at) {}

    /** What the writers share. Only the counting is on more than one thread. */
    private final class Writers {
        private final Writing how;
        private final ScheduledExecutorService thread;
        private final AtomicBoolean over = new AtomicBoolean();
        private final Histogram latencies = Latencies.histogram();
        private boolean measuring;
        private long done;
        private long failed;
        private @Nullable Throwable failure;

        Writers(Writing how, ScheduledExecutorService thread) {
            this.how = how;
            this.thread = thread;
        }

        void write() {
            if (over.get()) {
                return;
            }
            String key = key((nextKey.getAndIncrement() * nodes + index) % how.keys());
            byte[] value = value(how.bytes());
            long began = System.nanoTime();
            CompletionStage<?> stage =
                    how.topology() == null ? map.write(key, value) : map.write(key, value, how.topology());
            stage.whenComplete((result, error) -> {
                long took = System.nanoTime() - began;
                try {
                    thread.execute(() -> ended(took, error));
                } catch (RejectedExecutionException e) {
                    return; // The measurement is over.
                }
            });
        }

        private synchronized void ended(long took, @Nullable Throwable error) {
            if (measuring && error == null) {
                done++;
                latencies.recordValue(took);
            } else if (measuring) {
                failed++;
                failure = error;
            }
            if (error == null) {
                write();
            } else {
                // Without a pause, a product that refuses at once would be asked a million times.
                var unused = thread.schedule(this::write, AFTER_FAILURE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }

        synchronized Counts begin() {
            measuring = true;
            return new Counts(done, failed, System.nanoTime());
        }

        synchronized String end(Counts before) {
            long nanos = System.nanoTime() - before.at();
            over.set(true);
            if (failure != null) {
                System.err.println(failed + " writes failed, the last one with " + failure);
            }
            return (done - before.done()) + " " + (failed - before.failed()) + " " + nanos + " "
                    + Latencies.format(latencies);
        }
    }
}
