package io.georep.comparison;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The queue of a product, as the application of one node has it. Thread-safe. */
interface ComparedQueue extends AutoCloseable {
    /** Returns whether all nodes are there and the queue can be used. */
    boolean ready() throws Exception;

    /** Begins to hand entries to the handler, on threads of the product or of this object. */
    void consume(Consumer<byte[]> handler) throws Exception;

    /** Sends an entry. The stage completes when the product says that it has it. */
    CompletionStage<?> send(byte[] payload);

    /** How many entries this node handled that the product does not keep any longer, or need not. */
    long ended();
}
