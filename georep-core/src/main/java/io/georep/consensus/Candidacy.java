package io.georep.consensus;

import io.georep.consensus.LogMessage.Prepare;
import io.georep.consensus.LogMessage.Promise;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to become the leader: first a probe, which disturbs nobody, then phase 1. It ends with its ballot; another try
 * is another candidacy.
 */
final class Candidacy {
    private final Ballot ballot;
    private final Seats seats;

    /** Nodes without a seat that have a say as well: when a group is founded, all nodes that would have its log. */
    private final List<NodeId> witnesses;

    private final long decided;
    private final @Nullable Ballot released;
    private final Journal journal;
    private final LogOutlet outlet;
    private final Electors electors;

    /** Voters that have no vote, because their stores are others than those of the seats. */
    private final TreeSet<NodeId> emptied = new TreeSet<>();

    /** A node that has a log of this group from before; null if none has said so. */
    private @Nullable NodeId elder;

    /** Whether this node may lead. Otherwise it only asks whether somebody could. */
    private final boolean mayLead;

    private boolean probing;

    /**
     * Creates a candidacy that asks all seats.
     *
     * @param mayLead whether it has the vote of its node
     * @param elder has a log of this group, so that this node founds none; null if nobody does as far as it knows
     * @param learners are asked as well by those who found the group
     * @param released the ballot of the leader that asked for it, null if none did
     */
    Candidacy(
            Ballot ballot,
            Journal journal,
            boolean mayLead,
            @Nullable NodeId elder,
            List<NodeId> learners,
            @Nullable Ballot released,
            LogOutlet outlet) {
        this.ballot = ballot;
        this.journal = journal;
        this.mayLead = mayLead && elder == null;
        this.elder = elder;
        this.released = released;
        this.outlet = outlet;
        seats = journal.seats();
        witnesses = witnesses(learners);
        decided = journal.decided();
        electors = new Electors(decided);
        probing = released == null;
        ask();
    }

    private List<NodeId> witnesses(List<NodeId> learners) {
        return seats.slot() > 0
                ? List.of()
                : learners.stream()
                        .filter(each -> !seats.names(each) && outlet.isBelieved(each))
                        .toList();
    }

    Ballot ballot() {
        return ballot;
    }

    boolean isProbing() {
        return probing;
    }

    /** Returns whether it is a probe that too few have answered, and that still says what this node knows. */
    boolean isUnanswered(Journal present, List<NodeId> learners) {
        return probing
                && decided == present.decided()
                && seats.equals(present.seats())
                && witnesses.equals(witnesses(learners));
    }

    Seats seats() {
        return seats;
    }

    /** A ballot is used once. This node promises it first, so that the next boot knows it before anybody else hears of it. */
    void ask() {
        if (!probing) {
            journal.promise(ballot);
        }
        Prepare prepare = new Prepare(ballot, probing, decided, seats, released, false);
        Stream.concat(seats.list().stream().map(Seat::node), witnesses.stream()).forEach(node -> {
            if (probing) {
                outlet.send(node, prepare);
            } else {
                outlet.whenDurable(() -> outlet.send(node, prepare));
            }
        });
    }

    /** Returns whether enough seats, and all witnesses, have promised to accept what this node proposes. */
    boolean onPromise(Promise promise) {
        if (!promise.ballot().equals(ballot) || promise.probe() != probing) {
            return false;
        }
        boolean isElder = probing && promise.last() > decided;
        if (isElder
                || !(seats.has(promise.seat())
                        || witnesses.contains(promise.seat().node()))) {
            hasNoVote(promise.seat().node(), isElder);
            return false;
        }
        if (!electors.take(promise)) {
            return false;
        }
        emptied.remove(promise.seat().node());
        if (elder != null || electors.complete() < seats.quorum() + witnesses.size()) {
            tellWhoLostWhat();
            return false;
        }
        if (!mayLead) {
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

    private void hasNoVote(NodeId node, boolean isElder) {
        if (isElder && witnesses.contains(node)) {
            elder = node;
        } else if (!isElder && seats.names(node)) {
            emptied.add(node);
        }
        tellWhoLostWhat();
    }

    /** Too few stores are left, or all founders begin with empty ones, and there is a log from before. */
    private void tellWhoLostWhat() {
        boolean areAllEmpty = elder != null && seats.list().stream().allMatch(seat -> electors.has(seat.node()));
        if (areAllEmpty) {
            outlet.onStoresLost(seats.list().stream().map(Seat::node).toList(), elder);
        } else if (seats.list().size() - emptied.size() < seats.quorum()) {
            outlet.onStoresLost(List.copyOf(emptied), null);
        }
    }

    /**
     * Returns what has to be proposed first, from the slot after {@code from} on. It ends with the first change of the seats: only the new seats
     * can tell what comes after that.
     */
    List<LogEntry> adopted(long from) {
        List<LogEntry> adopted = new ArrayList<>();
        for (Proposal each : electors.accepted(from)) {
            adopted.add(each.entry());
            if (each.entry().changesSeats()) {
                break;
            }
        }
        return adopted;
    }

    /** Returns the seats with the stores that have promised, in the order of the seats: the first one is where the lead is at home. */
    List<Seat> promisedSeats() {
        return seats.list().stream()
                .map(seat -> electors.seat(seat.node()))
                .filter(Objects::nonNull)
                .toList();
    }
}
