package io.georep.keys;

import io.georep.model.ConfigurationException;
import java.util.concurrent.CompletionStage;

/**
 * The key spaces of a node: a few hundred thousand small records for what an application must find again, for example how
 * far it has read a source. Thread-safe. A node has them when they were added with {@code keySpaces(...)} of its builder.
 *
 * <p>Local and replicated spaces of the same name are different spaces.
 */
public interface KeySpaces {
    /**
     * Returns a space whose records are kept on this node only.
     *
     * @param name 1 to {@link KeySpace#NAME_BYTES_MAX} bytes of UTF-8
     * @throws ConfigurationException when the name is empty or too long
     */
    KeySpace local(String name);

    /**
     * Returns a space whose records are found on every node of the cluster that has key spaces. A write completes when it is
     * durable here and on {@code f} other nodes; the rest gets it soon afterwards.
     *
     * @param name 1 to {@link KeySpace#NAME_BYTES_MAX} bytes of UTF-8
     * @param f how many nodes besides this one have a record before its write completes: 0 to {@link KeySpace#F_MAX}
     * @throws ConfigurationException when the name is empty or too long, or f is out of bounds
     */
    KeySpace replicated(String name, int f);

    /**
     * Completes when this node has compared its replicated records, since it was started, with at least so many others and
     * with every one it is linked to at that moment. A node that is new, or was away, reads old records before. It does
     * not complete while fewer nodes are in reach, and fails when the node stops.
     *
     * @param nodes how many others; 0 for those that are linked, if any
     */
    CompletionStage<Void> caughtUp(int nodes);

    /** Reads what the key spaces hold; fails when the node is stopped. */
    CompletionStage<KeySpaceStatistics> readStatistics();
}
