package io.georep.comparison;

import io.georep.funnel.Topology;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The map of a product, as one node has it. Thread-safe. */
interface ComparedMap extends AutoCloseable {
    /** Returns whether all nodes are there and the map can be used. */
    boolean ready() throws Exception;

    /** Reads in the way that the product offers to one thread; null if there is no value. */
    byte @Nullable [] read(String key) throws Exception;

    /** Writes. The stage completes when the product says that the write is done. */
    CompletionStage<?> write(String key, byte[] value);

    /** Writes on a certain way to the other nodes, if the product lets the caller choose. */
    default CompletionStage<?> write(String key, byte[] value, Topology topology) {
        throw new UnsupportedOperationException("this product has no topologies");
    }

    /** Calls the listener with the value of each write that is committed, as soon as this node knows it. */
    default void listen(Consumer<byte[]> listener) {
        throw new UnsupportedOperationException("commits of this product are not watched");
    }
}
