package io.georep.bench.micro;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Clients without threads: each sends when its last entry is stored. If entries are stored faster than they are taken, clients
 * rest until some are. Thread-safe.
 */
final class ClosedLoop {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong came = new AtomicLong();
    private final AtomicInteger resting = new AtomicInteger();
    private final BiConsumer<EntryId, Throwable> stored = this::stored;
    private @Nullable Outbox<byte[]> outbox;
    private byte[] payload = new byte[0];
    private long behindMax;
    private volatile @Nullable Throwable failure;

    /** The outbox that is sent to, and how many entries may be on their way to whoever takes them. */
    void begin(Outbox<byte[]> to, int bytes, int onTheirWay) {
        outbox = to;
        payload = BenchmarkPayload.bytes(bytes);
        behindMax = onTheirWay;
    }

    /**
     * So many clients send so many entries together, and all of them come.
     *
     * @throws IllegalStateException when a send failed, or not all entries come within this time
     */
    void run(int clients, int entries, long atMostSeconds) {
        left.set(entries);
        resting.set(0);
        for (int i = 0; i < clients; i++) {
            send();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(atMostSeconds);
        while ((left.get() > 0 || came.get() != sent.get()) && failure == null && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
        if (left.get() > 0 || came.get() != sent.get()) {
            throw new IllegalStateException(came + " entries came, " + sent + " were sent", failure);
        }
    }

    private void send() {
        if (left.getAndDecrement() <= 0) {
            return;
        }
        sent.incrementAndGet();
        Objects.requireNonNull(outbox, "begun").send(payload).whenComplete(stored);
    }

    private void stored(EntryId id, @Nullable Throwable error) {
        if (error != null) {
            failure = error;
        } else if (sent.get() - came.get() < behindMax) {
            send();
        } else {
            resting.incrementAndGet();
            wake(came.get());
        }
    }

    /** So many entries were taken. */
    void came(int entries) {
        wake(came.addAndGet(entries));
    }

    private void wake(long now) {
        while (resting.get() > 0 && sent.get() - now < behindMax) {
            if (resting.getAndDecrement() > 0) {
                send();
            } else {
                resting.incrementAndGet();
            }
        }
    }
}
