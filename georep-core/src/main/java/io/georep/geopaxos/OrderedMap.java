package io.georep.geopaxos;

import io.georep.model.Registration;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A map with sorted keys that is the same on all nodes. It is linearizable: every operation takes effect at one moment between call and
 * answer, the same for all nodes. Writes complete when a majority of the voters has them durably. Keys and values are not null.
 *
 * <p>No call but {@link #getBlocking} waits. Stages complete on the application thread of the ordered maps: what depends on
 * them must not wait either. If a callback throws, only the stages that depend on it fail.
 *
 * <p>Errors of stages:
 *
 * <ul>
 *   <li>{@link io.georep.model.RejectedException}: the call has no effect; an earlier one with its number may have. {@code PAYLOAD_TOO_LARGE}; {@code QUEUE_FULL}: too many operations wait, call
 *       more slowly; {@code STORE_FULL}: the maps are full, remove keys.
 *   <li>{@link OrderedMapUnavailableException}: a read had no answer in time, or the node takes no requests. Try again.
 *   <li>{@link io.georep.model.IndeterminateException}: a write had no answer in time, or the node ended or lost its state; it may have
 *       taken effect and may still do. Or its number was acknowledged, so that there is no result. Read, or repeat it with its
 *       {@link OperationNumber}.
 *   <li>{@link io.georep.model.ClosedException}: the node is stopped or stopping, and nothing took effect.
 *   <li>{@link IllegalStateException}: a codec cannot write or read; or the number was given to another kind of operation.
 * </ul>
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public interface OrderedMap<K, V> {
    /** Returns the name of the map. */
    String name();

    /** Reads the value of a key; null if there is none. */
    CompletionStage<@Nullable V> get(K key);

    /**
     * Reads the value of a key on the caller's thread. This is much cheaper than {@link #get} on the node that leads the key's group: it
     * answers at once, by its lease. Elsewhere, and while the lease is in doubt or something is being decided, this waits for {@link #get}.
     *
     * @return null if there is none
     * @throws io.georep.model.GeoRepException as stages fail
     * @throws IllegalStateException as stages fail; or if the caller would have to wait and is an application thread of the node
     */
    @Nullable
    V getBlocking(K key);

    /**
     * Sets the value of a key.
     *
     * @param timeToLive how long the entry stays at the least, from when the write takes effect; null for ever. Then it is removed on all
     *     nodes at one moment, a few seconds later at the most while a majority of the voters is in reach
     * @throws IllegalArgumentException if the time to live is not positive, or longer than {@link OrderedMaps#TIME_TO_LIVE_MAX}
     */
    CompletionStage<Void> put(K key, V value, @Nullable Duration timeToLive, @Nullable OperationNumber operation);

    /** Sets the value of a key for ever. */
    default CompletionStage<Void> put(K key, V value, @Nullable OperationNumber operation) {
        return put(key, value, null, operation);
    }

    /** Sets the value of a key for a time. After an error, do not repeat the call: it might take effect twice. */
    default CompletionStage<Void> put(K key, V value, Duration timeToLive) {
        return put(key, value, timeToLive, null);
    }

    /** Sets the value of a key for ever. After an error, do not repeat the call: it might take effect twice. */
    default CompletionStage<Void> put(K key, V value) {
        return put(key, value, null, null);
    }

    /**
     * Sets the value of a key that has none. Returns the value that was in the way; null if the write took effect.
     *
     * @param timeToLive as in {@link #put}
     */
    CompletionStage<@Nullable V> putIfAbsent(
            K key, V value, @Nullable Duration timeToLive, @Nullable OperationNumber operation);

    /** Sets the value of a key that has none, for ever. */
    default CompletionStage<@Nullable V> putIfAbsent(K key, V value, @Nullable OperationNumber operation) {
        return putIfAbsent(key, value, null, operation);
    }

    /** Sets the value of a key that has none, for ever. After an error, do not repeat the call: it might take effect twice. */
    default CompletionStage<@Nullable V> putIfAbsent(K key, V value) {
        return putIfAbsent(key, value, null, null);
    }

    /**
     * Sets the value of a key if the bytes of its value are those of the expected one. Returns whether they were.
     *
     * @param timeToLive as in {@link #put}
     */
    CompletionStage<Boolean> replace(
            K key, V expected, V value, @Nullable Duration timeToLive, @Nullable OperationNumber operation);

    /** Replaces the value of a key, for ever. */
    default CompletionStage<Boolean> replace(K key, V expected, V value, @Nullable OperationNumber operation) {
        return replace(key, expected, value, null, operation);
    }

    /** Replaces the value of a key, for ever. After an error, do not repeat the call: it might take effect twice. */
    default CompletionStage<Boolean> replace(K key, V expected, V value) {
        return replace(key, expected, value, null, null);
    }

    /** Removes a key. Returns whether it had a value. */
    CompletionStage<Boolean> remove(K key, @Nullable OperationNumber operation);

    /** Removes a key. After an error, do not repeat the call: it might take effect twice. */
    default CompletionStage<Boolean> remove(K key) {
        return remove(key, null);
    }

    /** Reads the entry with the least key; null if the map is empty. */
    CompletionStage<Map.@Nullable Entry<K, V>> first();

    /** Reads the entry with the greatest key; null if the map is empty. */
    CompletionStage<Map.@Nullable Entry<K, V>> last();

    /** Reads the entry with the next greater key; null if there is none. */
    CompletionStage<Map.@Nullable Entry<K, V>> next(K key);

    /** Reads the entry with the next smaller key; null if there is none. */
    CompletionStage<Map.@Nullable Entry<K, V>> previous(K key);

    /**
     * Reads a page of the entries with keys from one on and before another, the least first. All entries of a page are of the same moment;
     * two pages are of two. A page includes {@code from}: the next page begins with the last key of this one.
     *
     * @param from null for the least
     * @param to null for no bound
     * @param limit entries, 1 to {@link OrderedMaps#PAGE_MAX}
     * @throws IllegalArgumentException if the limit is not allowed
     */
    CompletionStage<MapPage<K, V>> range(@Nullable K from, @Nullable K to, int limit);

    /** Reads such a page with the greatest key first. */
    CompletionStage<MapPage<K, V>> rangeDescending(@Nullable K from, @Nullable K to, int limit);

    /**
     * Calls the listener for changes that this node executes from now on, also by transactions and by the end of a time to live. Closing the
     * registration ends that. After a restart of the node, changes from before it may be told again.
     */
    Registration listen(OrderedMapListener<K, V> listener);

    /** Counts the entries. Looks at all parts of the map, of up to 64 entries each. */
    CompletionStage<Long> size();
}
