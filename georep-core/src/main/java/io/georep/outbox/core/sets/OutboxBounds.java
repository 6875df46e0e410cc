package io.georep.outbox.core.sets;

import io.georep.codec.Bound;

/** The bounds of what messages and facts of the outbox carry. */
public final class OutboxBounds {
    /** An entry's number in its stream. */
    public static final Bound SEQUENCE = Bound.count("sequence number");

    /** Changes of holder or owners of an entry. */
    public static final Bound EPOCH = Bound.count("epoch");

    /** Ranges in one message. */
    public static final int RANGES_MAX = 4096;

    private OutboxBounds() {}
}
