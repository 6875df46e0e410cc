package io.georep.flagons.core;

/** Where the effects of a node go. */
public interface Outlet {
    /** Sends a message, which may be lost. */
    void send(Contact to, FleetMessage message);

    /** Returns whether somebody was found at an address, under the name by which its messages are given to the node. */
    default boolean isAt(String address, String from) {
        return address.equals(from);
    }

    /** Tells the outcome of a request of this node, once each. */
    void answered(RequestId request, Outcome outcome);

    /** Called for each event in its order. */
    default void delivered(Event event) {}

    /** Called for an event that came too late to be delivered here. */
    default void missed(Event event) {}

    /** Called for an operation that this node keeps from now on. */
    default void kept(Event event) {}

    /** Called for an operation that it does not keep any more. */
    default void dropped(Event event) {}

    /** Called when a request whose outcome was told here turns out to have another one. */
    default void overturned(Event event, Outcome before, Outcome now) {}
}
