package io.georep.keys;

import io.georep.model.ConfigurationException;
import java.util.concurrent.CompletionStage;

/**
 * The key spaces of a node. They hold up to a few hundred thousand small records that an application must find again, for
 * example how far it has read a topic. A node has key spaces if its builder got {@code keySpaces(...)}; {@code
 * node.service(KeySpaces.class)} returns them. Thread-safe.
 *
 * <p>A local and a replicated space of the same name are two spaces.
 */
public interface KeySpaces {
    /**
     * Returns a space whose records are on this node only.
     *
     * @param name 1 to {@link KeySpace#NAME_BYTES_MAX} bytes of UTF-8
     * @throws ConfigurationException if the name is empty or too long
     */
    KeySpace local(String name);

    /**
     * Returns a space whose records are on every node of the cluster that has key spaces. A write completes when it is durable
     * on this node and on {@code f} others. The other nodes get it soon afterwards.
     *
     * @param name 1 to {@link KeySpace#NAME_BYTES_MAX} bytes of UTF-8
     * @param f how many nodes besides this one must have a record before its write completes: 0 to {@link KeySpace#F_MAX}
     * @throws ConfigurationException if the name is empty or too long, or if f is out of bounds
     */
    KeySpace replicated(String name, int f);

    /**
     * Waits until this node has caught up with others. A node that is new, or was away, reads old records, or none, before that.
     * The stage completes when, since its start, this node has compared its replicated records with at least {@code nodes}
     * others, and with all nodes to which it has a link at that moment. It fails with a {@link
     * io.georep.model.RejectedException} if none of them does anything for three times {@link KeySpaceSettings#writeTimeout()}:
     * then wait again. It also fails if the node stops.
     *
     * @param nodes how many other nodes at least; 0: only those to which there is a link, if there are any
     */
    CompletionStage<Void> caughtUp(int nodes);

    /** Reads what the key spaces hold and did. The stage fails with {@link io.georep.model.ClosedException} if the node is stopped. */
    CompletionStage<KeySpaceStatistics> readStatistics();
}
