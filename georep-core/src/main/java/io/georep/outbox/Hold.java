package io.georep.outbox;

import java.util.Collection;

/**
 * Ends entries that a handler keeps, many at once if it likes; see {@link Delivery#keep}. The first end of a delivery counts.
 * Thread-safe.
 */
public interface Hold {
    /**
     * These entries were forwarded.
     *
     * @throws IllegalArgumentException if a delivery is not one that the handler got; then nothing is ended
     */
    void forwarded(Collection<? extends Delivery<?>> deliveries);

    /**
     * This entry failed, and the retry policy decides what becomes of it. A {@link BatchFailedException} that names no error of
     * this entry says that it failed together with others. After {@link Forwarding#stop} a {@link
     * java.util.concurrent.CancellationException} gives it back, which is no failed attempt.
     *
     * @throws IllegalArgumentException if the delivery is not one that the handler got
     */
    void failed(Delivery<?> delivery, Throwable error);
}
