package io.georep.funnel.core;

import io.georep.funnel.core.messages.Stamp;
import io.georep.funnel.core.messages.WriteId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A write that is not committed. Its slices are parts of the frame it came in. */
final class Write implements Comparable<Write> {
    static final int PUT = 1;
    static final int REMOVE = 2;
    static final int PUT_IF_ABSENT = 3;
    static final int REPLACE = 4;

    /**
     * Removes the key if its newest commit is still the one that set the time to live, or if its time to live still ends
     * when it did then: a write that changed nothing since does not prolong it.
     */
    static final int EXPIRE = 5;

    /**
     * What the write does, as it was read from a frame or made of a command.
     *
     * @param lifeMillis for how long the value is to live from the commit on, 0 for ever; for an EXPIRE the end
     */
    record Content(
            int kind,
            Slice key,
            @Nullable Slice value,
            @Nullable Slice expected,
            long lifeMillis,
            @Nullable String client,
            long operation,
            @Nullable Stamp expiring,
            Slice encoded) {}

    final long view;
    final NodeId head;
    final long counter;
    final long clock;
    final Content content;
    final UncommittedGroup group;

    /** Where it is found in the present view: 0 among those of older views, else one more than the rank of its head. */
    int code;

    /** Its counter, or its place among those of older views. */
    long index;

    /** Set when it is taken in, at its head when it is issued. */
    @Nullable
    Cell cell;

    @Nullable
    Write previousOfKey;

    @Nullable
    Write nextOfKey;

    /** The token of the call that waits for the outcome on this node; null when none does any more. */
    @Nullable
    Object token;

    /** When it is called indeterminate. */
    long deadline;

    /** Whether this process made it. */
    boolean isOwn;

    /**
     * How many bytes it counts for on this node if this process made it: its own, and those of a value that a record will keep.
     */
    int ownBytes;

    /** Whether it was made for a key without a value. */
    boolean addsKey;

    /** Whether it was committed or dropped. */
    boolean isGone;

    Write(UncommittedGroup group, long counter, long clock, Content content) {
        this.view = group.view;
        this.head = group.head;
        this.group = group;
        this.counter = counter;
        this.clock = clock;
        this.content = content;
    }

    Slice key() {
        return content.key;
    }

    WriteId id() {
        return new WriteId(view, head, counter);
    }

    Cell cell() {
        return Objects.requireNonNull(cell);
    }

    int bytes() {
        return content.encoded.length();
    }

    int compareStamp(long otherClock, NodeId otherHead) {
        int byClock = Long.compare(clock, otherClock);
        return byClock != 0 ? byClock : head.compareTo(otherHead);
    }

    /** By stamp: the order in which writes of a key are committed. */
    @Override
    public int compareTo(Write other) {
        int byStamp = compareStamp(other.clock, other.head);
        return byStamp != 0 ? byStamp : Long.compare(view, other.view);
    }
}
