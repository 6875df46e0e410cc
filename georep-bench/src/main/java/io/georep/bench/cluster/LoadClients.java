package io.georep.bench.cluster;

import io.georep.GeoRepNode;
import io.georep.bench.report.Latencies;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Closed-loop clients without threads: each sends its next entry from the callback of the last one. The loop closes when
 * the send is acknowledged or, in the paper's loop, when the entry is forwarded and deleted everywhere.
 */
final class LoadClients {
    private static final long ERROR_PAUSE_MILLIS = 5;
    private static final long CYCLE_LOOK_NANOS = 1_000_000;

    /** One client: sends, and is called back. */
    private final class Client implements BiConsumer<EntryId, Throwable> {
        final byte[] payload;
        long sentNanos;

        Client(byte[] payload) {
            this.payload = payload;
        }

        void send() {
            sentNanos = System.nanoTime();
            outbox.send(payload).whenComplete(this);
        }

        @Override
        public void accept(@Nullable EntryId id, @Nullable Throwable failure) {
            if (failure == null) {
                acknowledged(this);
            } else {
                failures.incrementAndGet();
                var unused = pauses.schedule(this::sendAgain, ERROR_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }

        void sendAgain() {
            if (running) {
                send();
            }
        }
    }

    private final GeoRepNode node;
    private final Outbox<byte[]> outbox;
    private final boolean untilDeleted;
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

    LoadClients(GeoRepNode node, Outbox<byte[]> outbox, boolean untilDeleted) {
        this.node = node;
        this.outbox = outbox;
        this.untilDeleted = untilDeleted;
    }

    /** Starts so many clients with payloads of this size. */
    void start(int clients, int payloadBytes) {
        running = true;
        SplittableRandom random = new SplittableRandom(clients);
        for (int i = 0; i < clients; i++) {
            byte[] payload = new byte[payloadBytes];
            random.nextBytes(payload);
            new Client(payload).send();
        }
        if (untilDeleted) {
            Thread watch = new Thread(this::watchCycles, "load-cycles");
            watch.setDaemon(true);
            watch.start();
        }
    }

    /** Lets every client end with its entry under way. */
    void stop() {
        running = false;
        pauses.shutdown();
    }

    /** Sends that failed so far. */
    long failures() {
        return failures.get();
    }

    /** Begins new histograms. */
    synchronized void mark() {
        sends = Latencies.histogram();
        cycles = Latencies.histogram();
    }

    /** Nanoseconds from send to acknowledgement since the mark, as text. */
    synchronized String sends() {
        return Latencies.format(sends);
    }

    /** Nanoseconds from send to deleted everywhere since the mark, as text; empty unless the loop waits for that. */
    synchronized String cycles() {
        return Latencies.format(cycles);
    }

    private void acknowledged(Client client) {
        long now = System.nanoTime();
        synchronized (this) {
            sends.recordValue(now - client.sentNanos);
            if (untilDeleted) {
                cycling.add(client);
            }
        }
        if (running && !untilDeleted) {
            client.send();
        }
    }

    /**
     * The public interface counts confirmed deletions and does not say which. So the oldest loops close, as many as deletions
     * were confirmed.
     */
    private void watchCycles() {
        long closed = 0;
        while (running) {
            long done = LoadNode.deletedEverywhere(
                    node.statistics().of(OutboxActivity.class).protocol());
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
