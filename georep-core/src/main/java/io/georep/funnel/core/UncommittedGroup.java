package io.georep.funnel.core;

import io.georep.model.NodeId;
import io.georep.model.Slice;

/** Writes of one head that travelled together; one record in the store, which goes when the last of them is done. */
final class UncommittedGroup {
    final long view;
    final NodeId head;
    final long firstCounter;

    /** Clock of the first write; each next one has one more. */
    final long firstClock;

    final int count;

    /** As it is in frames and in the store. */
    final Slice encoded;

    /** Number of its record in the store. */
    long serial;

    /** How many writes were taken from it and are not done. */
    int live;

    /** Whether the record still has to be written to the store. */
    boolean isLate;

    /** Whether the record is as durable as the node wants it. */
    boolean isDurable;

    /** When it was taken in, on the monotonic clock. */
    long takenAt;

    UncommittedGroup(long view, NodeId head, long firstCounter, long firstClock, int count, Slice encoded) {
        this.view = view;
        this.head = head;
        this.firstCounter = firstCounter;
        this.firstClock = firstClock;
        this.count = count;
        this.encoded = encoded;
    }
}
