package io.georep.consensus;

import io.georep.consensus.LogMessage.Prepare;
import io.georep.consensus.LogMessage.Promise;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to become the leader: first a probe, which disturbs nobody, then phase 1. It ends with its ballot; a further try
 * is another candidacy.
 */
final class Candidacy {
    /** A member that has promised, and what it has accepted after {@link #decided}; only a part of that before the last page. */
    private static final class Elector {
        final Seat seat;
        final List<Proposal> proposals = new ArrayList<>();
        boolean isComplete;

        Elector(Seat seat) {
            this.seat = seat;
        }
    }

    private final Ballot ballot;
    private final Seats seats;
    private final long decided;
    private final @Nullable Ballot released;
    private final Journal journal;
    private final LogOutlet outlet;
    private final TreeMap<NodeId, Elector> electors = new TreeMap<>();
    private boolean probing;

    /** Asks all seats; {@code released} is the ballot of the leader that asked for it, null if none did. */
    Candidacy(Ballot ballot, Journal journal, @Nullable Ballot released, LogOutlet outlet) {
        this.ballot = ballot;
        this.journal = journal;
        this.released = released;
        this.outlet = outlet;
        seats = journal.seats();
        decided = journal.decided();
        probing = released == null;
        ask();
    }

    Ballot ballot() {
        return ballot;
    }

    boolean isProbing() {
        return probing;
    }

    /** Returns whether it is a probe that too few have answered, and that still says what this node knows. */
    boolean isUnanswered(Journal present) {
        return probing && decided == present.decided() && seats.equals(present.seats());
    }

    Seats seats() {
        return seats;
    }

    /** A ballot is used once. This node promises it first, so that the next boot knows it before anybody else hears of it. */
    void ask() {
        if (!probing) {
            journal.promise(ballot);
        }
        Prepare prepare = new Prepare(ballot, probing, decided, seats, released);
        for (Seat seat : seats.list()) {
            if (probing) {
                outlet.send(seat.node(), prepare);
            } else {
                outlet.whenDurable(() -> outlet.send(seat.node(), prepare));
            }
        }
    }

    /** Returns whether enough seats have promised to accept what this node proposes. */
    boolean onPromise(Promise promise) {
        if (!promise.ballot().equals(ballot) || promise.probe() != probing || !seats.has(promise.seat())) {
            return false;
        }
        Elector elector = electors.compute(
                promise.seat().node(),
                (node, known) ->
                        known == null || !known.seat.equals(promise.seat()) ? new Elector(promise.seat()) : known);
        if (promise.first() != decided + 1 + elector.proposals.size()) {
            return false;
        }
        elector.proposals.addAll(promise.proposals());
        elector.isComplete = decided + elector.proposals.size() >= promise.last();
        if (complete().count() < seats.quorum()) {
            return false;
        }
        if (probing) {
            probing = false;
            electors.clear();
            ask();
            return false;
        }
        return true;
    }

    /**
     * Returns what has to be proposed first, from the slot after {@code from} on: for each slot what was accepted under the
     * highest ballot, for it may be decided. There are no holes, because everybody accepts in order. It ends with the first
     * change of the seats: only the new seats can tell what comes after that.
     */
    List<LogEntry> adopted(long from) {
        List<LogEntry> adopted = new ArrayList<>();
        for (int place = (int) (from - decided); ; place++) {
            Proposal highest = highest(place);
            if (highest == null) {
                return adopted;
            }
            adopted.add(highest.entry());
            if (highest.entry().changesSeats()) {
                return adopted;
            }
        }
    }

    private Stream<Elector> complete() {
        return electors.values().stream().filter(elector -> elector.isComplete);
    }

    private @Nullable Proposal highest(int place) {
        Proposal highest = null;
        for (Elector elector : (Iterable<Elector>) complete()::iterator) {
            if (place < elector.proposals.size()) {
                Proposal each = elector.proposals.get(place);
                highest = highest == null || each.ballot().compareTo(highest.ballot()) > 0 ? each : highest;
            }
        }
        return highest;
    }

    /** Returns the seats with the stores that have promised, in the order of the seats: the first one is where the lead is at home. */
    List<Seat> promisedSeats() {
        return seats.list().stream()
                .map(seat -> electors.get(seat.node()))
                .filter(elector -> elector != null && elector.isComplete)
                .map(elector -> elector.seat)
                .toList();
    }
}
