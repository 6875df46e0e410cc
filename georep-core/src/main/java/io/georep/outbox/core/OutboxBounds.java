package io.georep.outbox.core;

import io.georep.codec.Bound;

/** The bounds of the numbers of the outbox. */
final class OutboxBounds {
    /** An entry's number in its stream. */
    static final Bound SEQUENCE = Bound.count("sequence number");

    /** Changes of holder or owners of an entry. */
    static final Bound EPOCH = Bound.count("epoch");

    private OutboxBounds() {}
}
