package io.georep.funnel;

import io.georep.model.Registration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A map that is the same on all nodes. It is linearizable per key: a read returns the newest value whose write had completed before
 * the read began, on whatever node, or a newer one. A key that is not being written is read from this node's memory, without a
 * message and without waiting. A write completes when it is durable on every member of the view.
 *
 * <p>Keys and values are immutable: a value that was read is shared with all other readers. Thread-safe.
 *
 * <p>Errors of writes: {@link io.georep.model.RejectedException} and {@link MapUnavailableException} if nothing was applied anywhere,
 * {@link io.georep.model.IndeterminateException} if it may have been applied or may still be, {@link
 * io.georep.model.ClosedException} if the node is stopped. A write with {@link WriteOptions#operation} can be repeated after any
 * of them without taking effect twice.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public interface ReplicatedMap<K, V> {
    /** Returns the name of the map. */
    String name();

    /**
     * Returns the value of a key; null if there is none. Returns at once, from memory, if the key is not being written and the
     * node has a lease. Otherwise waits until the tail answers, at most for the time of {@link FunnelSettings#readTimeout}.
     *
     * @throws MapUnavailableException if the node can say nothing about the key now
     * @throws IllegalStateException if it would have to wait on an application thread of the node, which calls listeners; or if the codec
     *     cannot read the value
     * @throws io.georep.model.ClosedException if the node is stopped
     */
    @Nullable
    V get(K key);

    /** Reads like {@link #get} without waiting. Completed at once if the value is in memory. */
    CompletionStage<@Nullable V> read(K key);

    /** Sets the value of a key. */
    CompletionStage<Void> put(K key, V value, WriteOptions options);

    /** Sets the value of a key, with default options. */
    default CompletionStage<Void> put(K key, V value) {
        return put(key, value, WriteOptions.defaults());
    }

    /** Removes a key. The stage tells whether it had a value. */
    CompletionStage<Boolean> remove(K key, WriteOptions options);

    /** Removes a key, with default options. */
    default CompletionStage<Boolean> remove(K key) {
        return remove(key, WriteOptions.defaults());
    }

    /**
     * Sets the value of a key if it has none when the write is committed. The stage completes with the value that was in the
     * way, null if the write took effect.
     */
    CompletionStage<@Nullable V> putIfAbsent(K key, V value, WriteOptions options);

    /** Sets the value of a key that has none, with default options. */
    default CompletionStage<@Nullable V> putIfAbsent(K key, V value) {
        return putIfAbsent(key, value, WriteOptions.defaults());
    }

    /**
     * Sets the value of a key if the bytes of its value, when the write is committed, are those of the expected one. The stage tells
     * whether they were.
     */
    CompletionStage<Boolean> replace(K key, V expected, V value, WriteOptions options);

    /** Replaces the value of a key, with default options. */
    default CompletionStage<Boolean> replace(K key, V expected, V value) {
        return replace(key, expected, value, WriteOptions.defaults());
    }

    /**
     * Calls the action for every key and its value. Each value is one that {@link #get} could have returned during the call; two keys may be
     * seen at different moments. Waits for the tail where a key is being written.
     *
     * @throws MapUnavailableException as {@link #get}
     */
    void forEach(BiConsumer<? super K, ? super V> action);

    /** Calls the listener for committed changes from now on. Closing the registration ends that. */
    Registration listen(MapListener<K, V> listener);
}
