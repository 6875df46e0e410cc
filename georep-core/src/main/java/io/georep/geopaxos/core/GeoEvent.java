package io.georep.geopaxos.core;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** What the protocol tells the local side. */
public sealed interface GeoEvent {
    /**
     * A request took effect, once.
     *
     * @param result null if it took effect long ago and its client had acknowledged that
     */
    record Answered(Object token, @Nullable Slice result) implements GeoEvent {}

    /** A request had no effect, and will have none. */
    record Refused(Object token, String why) implements GeoEvent {}

    /** A node is set to other groups than this one, so they take nothing of each other. Told once in a boot. */
    record OtherGroups(NodeId node) implements GeoEvent {}
}
