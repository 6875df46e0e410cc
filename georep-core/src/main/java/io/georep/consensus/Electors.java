package io.georep.consensus;

import io.georep.consensus.LogMessage.Promise;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Members that have promised, and what they have accepted after a slot. */
final class Electors {
    /** Before the last page has come: only a part of what the member has accepted. */
    private static final class Elector {
        final Seat seat;
        final List<Proposal> proposals = new ArrayList<>();
        boolean isComplete;

        Elector(Seat seat) {
            this.seat = seat;
        }
    }

    private final long decided;
    private final TreeMap<NodeId, Elector> electors = new TreeMap<>();

    Electors(long decided) {
        this.decided = decided;
    }

    /** Returns whether the page is the next one of its member. */
    boolean take(Promise promise) {
        Elector elector = electors.compute(
                promise.seat().node(),
                (node, known) ->
                        known == null || !known.seat.equals(promise.seat()) ? new Elector(promise.seat()) : known);
        if (promise.first() != decided + 1 + elector.proposals.size()) {
            return false;
        }
        elector.proposals.addAll(promise.proposals());
        elector.isComplete = decided + elector.proposals.size() >= promise.last();
        return true;
    }

    void clear() {
        electors.clear();
    }

    boolean has(NodeId node) {
        return electors.containsKey(node);
    }

    /** Returns how many members have sent all of their pages. */
    long complete() {
        return electors.values().stream().filter(elector -> elector.isComplete).count();
    }

    /** Returns the seat of a member that has sent all of its pages; null if it has not. */
    @Nullable
    Seat seat(NodeId node) {
        Elector elector = electors.get(node);
        return elector == null || !elector.isComplete ? null : elector.seat;
    }

    /**
     * Returns for each slot after {@code from} what was accepted under the highest ballot, for it may be decided. There are no holes, because
     * everybody accepts in order.
     */
    List<Proposal> accepted(long from) {
        List<Proposal> accepted = new ArrayList<>();
        for (int place = (int) (from - decided); ; place++) {
            Proposal highest = highest(place);
            if (highest == null) {
                return accepted;
            }
            accepted.add(highest);
        }
    }

    private @Nullable Proposal highest(int place) {
        Proposal highest = null;
        for (Elector elector : electors.values()) {
            if (elector.isComplete && place < elector.proposals.size()) {
                Proposal each = elector.proposals.get(place);
                highest = highest == null || each.ballot().compareTo(highest.ballot()) > 0 ? each : highest;
            }
        }
        return highest;
    }
}
