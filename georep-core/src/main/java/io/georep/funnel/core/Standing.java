package io.georep.funnel.core;

import io.georep.funnel.View;
import io.georep.model.BrokenInvariantException;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/** Where this node stands in the newest view that it was told of, and what it may do there. It changes by the transitions below only. */
final class Standing {
    /** What the node does in that view. */
    enum Phase {
        /** It takes no part: no view, or no lease in it yet. */
        OUTSIDE,
        /** It is no member, and takes everything from those who are. */
        LEARNING,
        /** It is a member; the members compare what they hold. */
        FLUSHING,
        /** It is a member and has the initial content of the view. */
        SERVING
    }

    private Phase phase = Phase.OUTSIDE;
    private @Nullable View view;

    /** The rank of this node in the view; -1 if it is no member. */
    private int rank = -1;

    /** Whether the tables were complete for a view since this boot, and this node was in all views since. */
    private boolean hasContent;

    /** Whether all members have the initial content of the view, as far as this node knows: writes may be made. */
    private boolean isOpen;

    /** The newest view in which the store was complete. */
    private long activeView;

    private ReadLease lease = ReadLease.NONE;

    /** The time until which writes may be under way: half a lease after the newest grant was asked for. */
    private long writeUntil = Long.MIN_VALUE;

    /** Whether the master sees as many members as a write needs copies, as it said with the newest grant. */
    private boolean mayWrite;

    private long viewChanges;

    /** The store was complete in this view before the boot. */
    void boot(long active) {
        activeView = active;
    }

    /** Takes over a newer view, in which this node has that rank. A learner needs no lease; a member waits for one. */
    void adopt(View next, int itsRank) {
        check();
        // After a gap in the numbers it may have been out of a view.
        boolean isNext = next.number() > viewNumber();
        view = next;
        rank = itsRank;
        isOpen = false;
        if (rank >= 0) {
            hasContent &= isNext;
            phase = Phase.OUTSIDE;
        } else {
            withoutContentAndLease();
            phase = Phase.LEARNING;
        }
        check();
    }

    /** The master lets this member serve, and perhaps write, for a while. */
    void granted(ReadLease granted, long writesUntil, boolean hasCopies, Turn turn) {
        check();
        mayWrite = hasCopies;
        if (granted.untilNanos() > lease.untilNanos() || !hasLease(turn)) {
            lease = granted;
        }
        writeUntil = Math.max(writeUntil, writesUntil);
        check();
    }

    /** A member with a lease begins to compare. */
    void flush() {
        check();
        BrokenInvariantException.require(phase == Phase.OUTSIDE && rank >= 0, "a member begins to compare", this);
        phase = Phase.FLUSHING;
        check();
    }

    /** The initial content of the view is here. */
    void serve() {
        check();
        BrokenInvariantException.require(phase == Phase.FLUSHING, "who serves has compared", this);
        activeView = viewNumber();
        phase = Phase.SERVING;
        hasContent = true;
        viewChanges++;
        check();
    }

    /** All members have the initial content. */
    void open() {
        isOpen = true;
        check();
    }

    /** Ends the present view before the next one is known. */
    void close() {
        check();
        isOpen = false;
    }

    /** What this node has is dropped, and taken anew from another node. */
    void loseContent() {
        check();
        hasContent = false;
        activeView = 0;
        check();
    }

    /** The lease was over before its time. */
    void loseLease() {
        lease = ReadLease.NONE;
    }

    /** The node takes no part any more. */
    void leave() {
        check();
        isOpen = false;
        withoutContentAndLease();
        phase = Phase.OUTSIDE;
        check();
    }

    /**
     * The node is another incarnation: in no view, whatever it was told before. It may lack writes that it said it had, so it must not be
     * the only one left.
     */
    void beginAnew() {
        leave();
        activeView = 0;
        view = null;
        rank = -1;
        check();
    }

    private void withoutContentAndLease() {
        hasContent = false;
        lease = ReadLease.NONE;
        writeUntil = Long.MIN_VALUE;
    }

    /** Requires what always holds. */
    void check() {
        BrokenInvariantException.require(rank >= 0 || (!hasContent && lease == ReadLease.NONE), "a member", this);
        BrokenInvariantException.require(!isOpen || phase == Phase.SERVING, "who writes serves", this);
        boolean fits = switch (phase) {
            case OUTSIDE -> true;
            case LEARNING -> view != null && rank < 0;
            case FLUSHING -> rank >= 0;
            case SERVING -> rank >= 0 && hasContent && activeView == viewNumber();
        };
        BrokenInvariantException.require(fits, "the phase fits the view", this);
    }

    @Override
    public String toString() {
        return phase + (isOpen ? ", open," : "") + " as " + rank + " of " + view + ", active in " + activeView
                + (hasContent ? ", with content" : "");
    }

    Phase phase() {
        return phase;
    }

    @Nullable
    View view() {
        return view;
    }

    long viewNumber() {
        return view == null ? 0 : view.number();
    }

    int rank() {
        return rank;
    }

    boolean hasContent() {
        return hasContent;
    }

    boolean isOpen() {
        return isOpen;
    }

    long activeView() {
        return activeView;
    }

    ReadLease lease() {
        return lease;
    }

    boolean hasLease(Turn turn) {
        return lease.holds(turn.now(), turn.wallMillis());
    }

    long writeUntil() {
        return writeUntil;
    }

    boolean mayWrite() {
        return mayWrite;
    }

    /** Returns how many views this node served in. */
    long viewChanges() {
        return viewChanges;
    }
}
