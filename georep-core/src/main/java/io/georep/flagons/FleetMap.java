package io.georep.flagons;

import io.georep.model.Registration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A map of small values that all nodes of a fleet write and read. Each node keeps a part of it. Operations have places in one order,
 * and what a key has is what the operations up to a place have made of it. This is so with a high probability: a node that has missed
 * an operation may return an older value until it has compared with others, and the two sides of a split network go on alone. Results
 * that turn out otherwise are told, see {@link #onOverturned}. Keys and values are not null.
 *
 * <p>No call waits. Stages complete on the application thread of the fleet: what follows on it must not wait either. What a callback
 * throws fails only the stage that depends on it.
 *
 * <p>A get that nobody has answered in time is no error: its status is {@link FleetResult.Status#UNSURE}. Errors of stages:
 *
 * <ul>
 *   <li>{@link io.georep.model.RejectedException}: the operation has no effect. {@code PAYLOAD_TOO_LARGE}; {@code QUEUE_FULL}: too many
 *       operations wait, call more slowly.
 *   <li>{@link FleetUnavailableException}: this node takes no operations now, and this one has no effect. Ask another node.
 *   <li>{@link io.georep.model.IndeterminateException}: the outcome of a change is not known in time, or the node ended. It may have
 *       taken effect and may still do. Get the key, or repeat the call with its {@link FleetOptions#request(java.util.UUID) request}.
 *   <li>{@link io.georep.model.ClosedException}: the node is stopped or stopping, and the operation has no effect.
 *   <li>{@link IllegalStateException}: a codec cannot write or read.
 * </ul>
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public interface FleetMap<K, V> {
    /** Returns the name of the map. */
    String name();

    /** Reads the value of a key. Waits for its place in the order unless the options say otherwise. */
    CompletionStage<FleetResult<V>> get(K key, FleetOptions options);

    /** Reads the value of a key at its place in the order. */
    default CompletionStage<FleetResult<V>> get(K key) {
        return get(key, FleetOptions.ORDERED);
    }

    /** Sets the value of a key. Returns the value before. */
    CompletionStage<FleetResult<V>> put(K key, V value, FleetOptions options);

    /** Sets the value of a key at its place in the order. After an error, do not repeat the call: it might take effect twice. */
    default CompletionStage<FleetResult<V>> put(K key, V value) {
        return put(key, value, FleetOptions.ORDERED);
    }

    /**
     * Sets the value of a key that has none at the operation's place. Returns the value that is in the way, if it was not applied. With
     * {@link FleetConsistency#ANY} the outcome may be overturned at any time, so it is of use for what may have two winners for a while.
     */
    CompletionStage<FleetResult<V>> putIfAbsent(K key, V value, FleetOptions options);

    /** Sets the value of a key that has none, decided at its place in the order. */
    default CompletionStage<FleetResult<V>> putIfAbsent(K key, V value) {
        return putIfAbsent(key, value, FleetOptions.ORDERED);
    }

    /** Removes a key. Returns the value before. */
    CompletionStage<FleetResult<V>> remove(K key, FleetOptions options);

    /** Removes a key at its place in the order. */
    default CompletionStage<FleetResult<V>> remove(K key) {
        return remove(key, FleetOptions.ORDERED);
    }

    /**
     * Calls the listener for the value that a key has, null if it has none, and then for its changes, in the order of their places and
     * once each. A change that comes while the value is read for the first time is told instead of what was before it. This node hears of
     * ordered changes at their places, and reads the key twice a minute, for changes of {@link FleetConsistency#ANY} and for those that it
     * has missed.
     */
    Registration watch(K key, FleetListener<K, V> listener);

    /**
     * Calls the listener for the values of keys whose bytes begin with those of the prefix, and for their changes; an empty text stands for
     * all keys. Nobody knows which keys there are, so each group of nodes is asked. Their values come in any order, and changes may come
     * before all of them have; {@link FleetListener#listed} says when they have, or that nodes did not answer. Of each key the order is that
     * of {@link #watch}. The last 10,000 keys that were told are read like those of {@link #watch}, but no more than one in a second.
     *
     * @throws UnsupportedOperationException if this process is a mere client of the fleet, which hears of no changes
     */
    Registration watchPrefix(K prefix, FleetListener<K, V> listener);

    /**
     * Calls the callback when a change that was asked for here has another outcome than was told. This node knows its last 10,000
     * changes, until it stops. Called on the application thread of the fleet: it must not wait.
     */
    Registration onOverturned(Consumer<FleetOverturned<K, V>> callback);
}
