package io.georep.keys.core;

import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceStatistics;
import io.georep.model.GeoRepException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers of the key spaces to the application. */
public sealed interface KeyEvent {
    /** These writes, or waits for other nodes, are complete. */
    record Done(List<Object> tokens) implements KeyEvent {}

    /** These writes were refused, or not confirmed in time; or the disk took too long for these reads. */
    record Failed(List<Object> tokens, GeoRepException cause) implements KeyEvent {}

    /** The value of a key; null if there is none. */
    record Value(Object token, byte @Nullable [] value) implements KeyEvent {}

    /** Records of a space. */
    record Page(Object token, KeySpace.Page page) implements KeyEvent {}

    /** The counters. */
    record Statistics(Object token, KeySpaceStatistics statistics) implements KeyEvent {}
}
