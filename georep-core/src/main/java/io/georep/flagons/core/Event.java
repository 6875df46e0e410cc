package io.georep.flagons.core;

/**
 * An operation at its place in the order. It never changes, so nodes in one process share it.
 *
 * @param origin the node that has made it, without its position; the members of the group answer there
 */
public record Event(OrderKey key, Contact origin, FleetOperation operation) {
    /** Checks that the place belongs to the node. */
    public Event {
        if (key.source() != origin.id()) {
            throw new IllegalArgumentException("an event of " + origin.id() + " in the place of " + key.source());
        }
        origin = Contact.at(origin.id(), origin.address());
    }

    int bytes() {
        return 48 + origin.address().length() + operation.bytes();
    }
}
