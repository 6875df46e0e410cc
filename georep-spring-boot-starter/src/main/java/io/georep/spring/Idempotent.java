package io.georep.spring;

import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardHandler;

/**
 * Keeps a handler from doing the same thing twice. Every entry is delivered at least once. After crashes, adoptions and failed
 * acknowledgements it is delivered again, with the same key. Thread-safe if the {@link ProcessedKeys} are.
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
     * Returns the key under which an entry is processed once. If the producer gave a key, it is that key together with the queue,
     * because it stays the same when a failed send is repeated. Otherwise it is the id of the entry.
     */
    public static String key(Delivery<?> delivery) {
        String own = delivery.producerKey();
        String queue = delivery.queue();
        // With the length no queue name can run into a key.
        return own == null ? "id:" + delivery.id() : "key:" + queue.length() + ":" + queue + ":" + own;
    }

    /**
     * Calls the handler unless the entry was processed before. An entry counts as processed when the handler has returned
     * normally, so this is not for handlers that keep entries. {@link ProcessedKeys#once} says what happens if another thread is processing the same key.
     *
     * @return whether the handler was called
     * @throws Exception if the handler throws; the entry then counts as not processed
     */
    public <T> boolean handle(Delivery<T> delivery, ForwardHandler<T> handler) throws Exception {
        return keys.once(key(delivery), () -> handler.handle(delivery));
    }
}
