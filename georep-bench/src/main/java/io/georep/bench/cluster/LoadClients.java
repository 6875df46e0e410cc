package io.georep.bench.cluster;

import io.georep.bench.report.Latencies;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients without threads. In a closed loop each sends its next entry from the callback of the last one. The loop closes when
 * the send is acknowledged or, in the paper's loop, when the entry is forwarded and deleted everywhere. In an open loop one is
 * sent whenever it is due, whatever became of the others, and its latency counts from when it was due.
 * What takes the entries may be another product as well.
 */
public final class LoadClients {
    /** What entries are sent to. */
    @FunctionalInterface
    public interface Sender {
        /** Sends one; the stage completes with its acknowledgement. */
        CompletionStage<?> send(byte[] payload);
    }

    private static final long ERROR_PAUSE_MILLIS = 5;
    private static final long CYCLE_LOOK_NANOS = 1_000_000;

    /** One client: sends, and is called back. */
    private final class Client implements BiConsumer<Object, Throwable> {
        final byte[] payload;
        long sentNanos;

        Client(byte[] payload) {
            this.payload = payload;
        }

        void send() {
            sendDue(System.nanoTime());
        }

        void sendDue(long nanos) {
            sentNanos = nanos;
            sender.send(payload).whenComplete(this);
        }

        @Override
        public void accept(@Nullable Object id, @Nullable Throwable failure) {
            if (failure == null) {
                acknowledged(this);
            } else {
                failures.incrementAndGet();
                if (open) {
                    return;
                }
                var unused = pauses.schedule(this::sendAgain, ERROR_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }

        void sendAgain() {
            if (running) {
                send();
            }
        }
    }

    private final Sender sender;
    private final @Nullable LongSupplier deletedEverywhere;
    private final AtomicLong failures = new AtomicLong();
    private final Deque<Client> cycling = new ArrayDeque<>();
    private final ScheduledExecutorService pauses = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "load-pauses");
        thread.setDaemon(true);
        return thread;
    });
    private Histogram sends = Latencies.histogram();
    private Histogram cycles = Latencies.histogram();
    private volatile boolean running;
    private boolean open;
    private long markNanos;

    /**
     * Clients that send nothing yet.
     *
     * @param deletedEverywhere how many entries are gone so far, if that closes the loops
     */
    public LoadClients(Sender sender, @Nullable LongSupplier deletedEverywhere) {
        this.sender = sender;
        this.deletedEverywhere = deletedEverywhere;
    }

    /** Starts so many clients with payloads of this size; or, if the rate is positive, sends so many entries in a second. */
    public void start(int clients, int payloadBytes, int rate) {
        running = true;
        SplittableRandom random = new SplittableRandom(clients);
        if (rate > 0) {
            open = true;
            byte[] payload = new byte[payloadBytes];
            random.nextBytes(payload);
            thread("load-rate", () -> sendWhenDue(payload, rate));
            return;
        }
        for (int i = 0; i < clients; i++) {
            byte[] payload = new byte[payloadBytes];
            random.nextBytes(payload);
            new Client(payload).send();
        }
        LongSupplier count = deletedEverywhere;
        if (count != null) {
            thread("load-cycles", () -> watchCycles(count));
        }
    }

    private static void thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void sendWhenDue(byte[] payload, int rate) {
        long begin = System.nanoTime();
        for (long i = 0; running; i++) {
            long due = begin + i * TimeUnit.SECONDS.toNanos(1) / rate;
            for (long ahead = due - System.nanoTime(); ahead > 0 && running; ahead = due - System.nanoTime()) {
                LockSupport.parkNanos(ahead);
            }
            try {
                new Client(payload).sendDue(due);
            } catch (RuntimeException e) {
                failures.incrementAndGet();
            }
        }
    }

    /** Lets every client end with its entry under way. */
    public void stop() {
        running = false;
        pauses.shutdown();
    }

    /** Sends that failed so far. */
    public long failures() {
        return failures.get();
    }

    /** Begins new histograms. */
    public synchronized void mark() {
        markNanos = System.nanoTime();
        sends = Latencies.histogram();
        cycles = Latencies.histogram();
    }

    /** Nanoseconds from send to acknowledgement since the mark, as text. */
    public synchronized String sends() {
        return Latencies.format(sends);
    }

    /** Nanoseconds from send to deleted everywhere since the mark, as text; empty unless the loop waits for that. */
    synchronized String cycles() {
        return Latencies.format(cycles);
    }

    private void acknowledged(Client client) {
        long now = System.nanoTime();
        synchronized (this) {
            // What was due before the window would tell of another time.
            if (!open || client.sentNanos >= markNanos) {
                sends.recordValue(now - client.sentNanos);
            }
            if (deletedEverywhere != null) {
                cycling.add(client);
            }
        }
        if (running && deletedEverywhere == null && !open) {
            client.send();
        }
    }

    /**
     * The public interface counts confirmed deletions and does not say which. So the oldest loops close, as many as deletions
     * were confirmed.
     */
    private void watchCycles(LongSupplier count) {
        long closed = 0;
        while (running) {
            long done = count.getAsLong();
            for (; closed < done; closed++) {
                Client client = closeCycle();
                if (client == null) {
                    break;
                }
                client.send();
            }
            LockSupport.parkNanos(CYCLE_LOOK_NANOS);
        }
    }

    private synchronized @Nullable Client closeCycle() {
        Client client = cycling.poll();
        if (client != null) {
            cycles.recordValue(System.nanoTime() - client.sentNanos);
        }
        return client;
    }
}
