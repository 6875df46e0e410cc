package io.georep.flagons.core;

import io.georep.model.Slice;

/** What a node of a fleet tells the side of the application. */
public sealed interface FleetEvent {
    /** The outcome of a request, once each. */
    record Answered(Object token, Outcome outcome) implements FleetEvent {}

    /** A request that has no effect, because the node cannot begin it. */
    record Refused(Object token, String why) implements FleetEvent {}

    /** A request that this node was asked for turns out to have another outcome than was told. */
    record Overturned(RequestId request, Slice key, Outcome now) implements FleetEvent {}

    /** A change of a key that is watched, at its turn or later. */
    record Passed(Event event) implements FleetEvent {}

    /** The node hears of all that happens from now on, or may miss some of it. At first it may. */
    record Hears(boolean all) implements FleetEvent {}

    /** How the node is. */
    record Status(Object token, FleetStatus status) implements FleetEvent {}
}
