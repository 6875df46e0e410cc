package io.georep.keys.core;

import io.georep.keys.KeyBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the application asks of the key spaces. The token of a call comes back with its answer. */
public sealed interface KeyCommand {
    /** Several calls, in their order. */
    record Calls(List<KeyCommand> calls) implements KeyCommand {}

    /** A space; those that are not replicated are another set of spaces. */
    record Space(String name, boolean replicated) {}

    /**
     * Changes of a space that are made together.
     *
     * @param f how many other nodes have them before the answer
     */
    record Write(Space space, int f, KeyBatch batch, Object token) implements KeyCommand {}

    /** Reads one key. */
    record Get(Space space, byte[] key, Object token) implements KeyCommand {}

    /**
     * Reads keys in their order.
     *
     * @param to first key that is not wanted, null for the end of the space
     */
    record Scan(Space space, byte[] from, byte @Nullable [] to, int max, Object token) implements KeyCommand {}

    /** Waits until this node has compared its records with so many others, and with all it is linked to. */
    record CatchUp(int nodes, Object token) implements KeyCommand {}

    /** Reads the counters. */
    record ReadStatistics(Object token) implements KeyCommand {}
}
