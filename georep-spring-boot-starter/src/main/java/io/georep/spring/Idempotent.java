package io.georep.spring;

import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;

/**
 * Keeps a handler from doing the same thing twice. Every entry is delivered at least once; after crashes, adoptions and
 * failed acknowledgements it is delivered again, with the same key.
 *
 * <pre>{@code
 * @OutboxListener("sms")
 * void forward(Delivery<Sms> delivery) throws Exception {
 *     idempotent.handle(delivery, entry -> operator.submit(entry.payload()));
 * }
 * }</pre>
 */
public final class Idempotent {
    private final ProcessedKeys keys;

    public Idempotent(ProcessedKeys keys) {
        this.keys = keys;
    }

    /**
     * The key under which an entry is processed once: the producer's own within its queue when it gave one, because that
     * stays the same when a failed send is repeated; otherwise the id of the entry.
     */
    public static String key(Delivery<?> delivery) {
        String own = delivery.producerKey();
        String queue = delivery.queue();
        // With the length no queue name can run into a key.
        return own == null ? "id:" + delivery.id() : "key:" + queue.length() + ":" + queue + ":" + own;
    }

    /**
     * Calls the handler unless the entry was processed before. An entry counts as processed when the handler returned
     * normally. What happens when another thread is just processing the same key, {@link ProcessedKeys#once} says.
     *
     * @return whether the handler was called
     * @throws Exception what the handler throws; then the entry counts as not processed
     */
    public <T> boolean handle(Delivery<T> delivery, ForwardHandler<T> handler) throws Exception {
        return keys.once(key(delivery), () -> handler.handle(delivery));
    }

    /** The same as a handler of its own. */
    public <T> ForwardHandler<T> wrap(ForwardHandler<T> handler) {
        return delivery -> handle(delivery, handler);
    }
}
