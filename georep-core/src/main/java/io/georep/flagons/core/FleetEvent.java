package io.georep.flagons.core;

/** What a node of a fleet tells the side of the application. */
public sealed interface FleetEvent {
    /** The outcome of a request, once each. */
    record Answered(Object token, Outcome outcome) implements FleetEvent {}

    /** An operation that was done here turns out to have another outcome than was told. */
    record Overturned(Event event, Outcome before, Outcome now) implements FleetEvent {}

    /** How the node is. */
    record Status(Object token, FleetStatus status) implements FleetEvent {}
}
