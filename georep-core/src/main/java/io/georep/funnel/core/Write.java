package io.georep.funnel.core;

import io.georep.funnel.core.messages.Stamp;
import io.georep.funnel.core.messages.WriteId;
import io.georep.model.BrokenInvariantException;
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

    /**
     * What the process that made a write counts of it.
     *
     * @param token of the call that waits for the outcome, if one does
     * @param addsKey whether it was made for a key without a value
     * @param bytes its own, and those of a value that a record will keep
     */
    record Own(@Nullable Object token, boolean addsKey, int bytes) {}

    /** See {@link #index}. */
    static final long NO_PLACE = Long.MAX_VALUE;

    final long view;
    final NodeId head;
    final long counter;
    final long clock;
    final Content content;
    final UncommittedGroup group;

    /** Where it is found in the present view: 0 among those of older views, else one more than the rank of its head. */
    private int code;

    /** Its counter, or its place among those of older views; {@link #NO_PLACE} if it has none. */
    private long index;

    /** Set when it is taken in, at its head when it is issued. */
    private @Nullable Cell cell;

    /** Kept by the cell. */
    @Nullable
    Write previousOfKey;

    @Nullable
    Write nextOfKey;

    /** Null if another process made it. */
    private @Nullable Own own;

    /** The token of the call that waits for the outcome on this node; null when none does any more. */
    private @Nullable Object token;

    /** When it is called indeterminate. */
    private long deadline;

    /** Whether it was committed or dropped. */
    private boolean isGone;

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

    /** Called when this process has made it. */
    void issued(Cell of, Own made, long until) {
        require(cell == null && own == null && !isGone, "is issued once");
        cell = of;
        own = made;
        token = made.token;
        deadline = until;
    }

    /** Called when it is uncommitted here, as a write of this key. */
    void taken(Cell of) {
        require((cell == null || cell == of) && !isGone, "is taken for one key, before it is gone");
        cell = of;
    }

    /** Called when it stands in the log of the member with this rank in the present view. */
    void inLog(int rank) {
        require(!isGone, "is gone for good");
        code = rank + 1;
        index = counter;
    }

    /** Called when the view in which it was made has ended. */
    void ofOlderView() {
        require(!isGone, "is gone for good");
        code = 0;
        index = NO_PLACE;
    }

    /** Gives it this place among the writes of older views. */
    void carried(int place) {
        require(code == 0 && !isGone, "of an older view has a place");
        index = place;
    }

    /** Called when it was committed or dropped. */
    void gone() {
        require(cell != null && !isGone, "that is uncommitted ends once");
        isGone = true;
    }

    private void require(boolean holds, String promise) {
        BrokenInvariantException.require(holds, "a write " + promise, id());
    }

    Cell cell() {
        return Objects.requireNonNull(cell);
    }

    @Nullable
    Cell knownCell() {
        return cell;
    }

    int code() {
        return code;
    }

    long index() {
        return index;
    }

    @Nullable
    Own own() {
        return own;
    }

    /** Returns whether a call waits for the outcome. */
    boolean isAwaited() {
        return token != null;
    }

    /** Returns the token of the call that waits; it is told now, and does not wait any more. */
    Object takeToken() {
        Object taken = Objects.requireNonNull(token);
        token = null;
        return taken;
    }

    long deadline() {
        return deadline;
    }

    boolean isGone() {
        return isGone;
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
