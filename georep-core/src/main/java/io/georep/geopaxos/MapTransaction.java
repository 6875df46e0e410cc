package io.georep.geopaxos;

import io.georep.spi.PayloadCodec;
import org.jspecify.annotations.Nullable;

/**
 * An operation of the application on several keys, also of several maps. Every node executes it, in the same order among those that
 * share keys. So it is a function of its argument and of what it reads: no clock, no randomness, no state of its own, no iteration over
 * hash tables. All nodes have the same code under a name and version; changed code gets another version. Put it into the settings of
 * all nodes before one of them calls it: a node that has to execute one that it does not have stops.
 *
 * <p>If it throws an {@link Exception}, nothing of it takes effect, and the caller gets a {@link TransactionFailedException}. An
 * {@link Error} stops each node that executes it, before it takes effect and at each start again: what it means may differ from node
 * to node. Nodes go on with code under the same name and version that throws no error there, and is the same otherwise. Called on the
 * thread of the node that drives its protocols: it must not wait.
 *
 * @param <A> type of the argument
 * @param <R> type of the result
 */
public interface MapTransaction<A, R> {
    /** Returns the name: 1 to 100 characters. */
    String name();

    /** Returns the version of the code, from 0 on. */
    int version();

    /** Returns how arguments are written, at most {@link OrderedMaps#ARGUMENT_BYTES_MAX} bytes. */
    PayloadCodec<A> arguments();

    /** Returns how results are written, at most {@link OrderedMaps#ARGUMENT_BYTES_MAX} bytes. */
    PayloadCodec<R> results();

    /**
     * Names the keys that it uses with an argument, at most {@link OrderedMaps#TRANSACTION_KEYS_MAX} that it reads and as many that it
     * writes. Also called by callers' threads.
     */
    void declare(A argument, Keys keys);

    /** Executes it. The result is not null. */
    R execute(A argument, View view);

    /** Takes the keys of a transaction. */
    interface Keys {
        /** It reads this key and does not write it. */
        <K> void reads(MapSchema<K, ?> map, K key);

        /** It may read, write and remove this key. */
        <K> void writes(MapSchema<K, ?> map, K key);

        /**
         * Declares that it also uses keys that are known only while it is executed, such as a key that a value names; as many
         * as it declares at the most. So all operations of the groups of its keys wait for it, as for a range, and each node
         * executes it twice: first without effect, to learn which keys these are. It must not go on after an exception of its
         * view.
         */
        void finds();
    }

    /** The declared keys with their values. Other keys are refused with an {@link IllegalArgumentException}, unless it finds some. */
    interface View {
        /** Returns the value of a key, also one that this transaction has just written; null if there is none. */
        <K, V> @Nullable V get(MapSchema<K, V> map, K key);

        /** Sets the value of a key declared as written, or found. */
        <K, V> void put(MapSchema<K, V> map, K key, V value);

        /** Removes a key declared as written, or found. */
        <K> void remove(MapSchema<K, ?> map, K key);
    }
}
