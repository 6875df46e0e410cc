package io.georep.keys.core;

import io.georep.keys.KeyBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request of the application to the key spaces. The answer carries the token of the request. */
public sealed interface KeyCommand {
    /** Several calls, in the order in which they were made. */
    record Calls(List<KeyCommand> calls) implements KeyCommand {}

    /** Names a space. A local and a replicated space of one name are two spaces. */
    record Space(String name, boolean replicated) {}

    /**
     * Makes changes together.
     *
     * @param f how many other nodes must have them before the answer
     * @param bytes of all keys and values
     */
    record Write(Space space, int f, List<KeyBatch.Change> changes, int bytes, Object token) implements KeyCommand {
        /** Takes the changes that the batch has at this moment. */
        public Write(Space space, int f, KeyBatch batch, Object token) {
            this(space, f, batch.changes(), batch.bytes(), token);
        }
    }

    /** Reads one key. */
    record Get(Space space, byte[] key, Object token) implements KeyCommand {}

    /**
     * Reads records in the order of their keys.
     *
     * @param to the first key that is not wanted; null for the end of the space
     */
    record Scan(Space space, byte[] from, byte @Nullable [] to, int max, Object token) implements KeyCommand {}

    /** Waits until this node has compared its records with so many others, and with all nodes to which it has a link. */
    record CatchUp(int nodes, Object token) implements KeyCommand {}

    /** Reads the counters. */
    record ReadStatistics(Object token) implements KeyCommand {}
}
