package io.georep.connect;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * Who uses a store in this worker, from before it is opened until after it is deleted. The store's own lock ends when the store
 * is closed; but a task must not open a store between its predecessor's close and delete. Thread-safe.
 */
final class StoreClaim {
    private static final ConcurrentMap<Path, StoreClaim> CLAIMS = new ConcurrentHashMap<>();

    private final Path store;
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    private StoreClaim(Path store) {
        this.store = store;
    }

    /** Claims a store; null if somebody else has it. */
    static @Nullable StoreClaim tryTake(Path store) {
        StoreClaim claim = new StoreClaim(store.toAbsolutePath().normalize());
        return CLAIMS.putIfAbsent(claim.store, claim) == null ? claim : null;
    }

    /**
     * Claims a store. If another task has it, tells that task so and waits for it.
     *
     * @throws ConnectException if it is not released in time
     */
    static StoreClaim take(Path store, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (true) {
            StoreClaim mine = tryTake(store);
            if (mine != null) {
                return mine;
            }
            StoreClaim other = CLAIMS.get(store.toAbsolutePath().normalize());
            if (other != null) {
                other.wanted.countDown();
                other.awaitRelease(deadline);
            }
        }
    }

    private void awaitRelease(long deadline) {
        try {
            if (!released.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                throw new ConnectException(
                        "store " + store + " is still used by a task of the same name and number on this"
                                + " worker, which has not stopped: restart this task later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while waiting for store " + store, e);
        }
    }

    Path store() {
        return store;
    }

    /** Returns whether somebody waits for the store. */
    boolean isWanted() {
        return wanted.getCount() == 0;
    }

    void release() {
        if (CLAIMS.remove(store, this)) {
            released.countDown();
        }
    }
}
