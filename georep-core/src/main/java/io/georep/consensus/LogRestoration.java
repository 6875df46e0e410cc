package io.georep.consensus;

import io.georep.consensus.LogMessage.Prepare;
import io.georep.consensus.LogMessage.Promise;
import io.georep.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Lets a member go on alone with the group, under another log, because too many others are lost for good. First it
 * asks all members that are left, with or without a seat, what they have accepted: phase 1, without those that are
 * lost. What any of them has accepted may be decided. Of two members that ask each other, at most one goes on: it has
 * promised the other nothing since it asked, and from then on it answers nobody of the former log.
 */
public final class LogRestoration {
    /** What is asked. */
    private static final class Survey {
        final Prepare question;
        final TreeSet<NodeId> silent;
        final Electors electors;

        Survey(Prepare question, Collection<NodeId> members) {
            this.question = question;
            silent = new TreeSet<>(members);
            electors = new Electors(question.decided());
        }
    }

    private final Seat seat;
    private final Journal journal;
    private final Voter voter;
    private final Elections elections;
    private final LogOutlet outlet;
    private @Nullable Survey survey;

    LogRestoration(Seat seat, Journal journal, Voter voter, Elections elections, LogOutlet outlet) {
        this.seat = seat;
        this.journal = journal;
        this.voter = voter;
        this.elections = elections;
        this.outlet = outlet;
    }

    /**
     * Asks these members, this node among them. If it has asked before, it asks those again that have not answered.
     */
    public void ask(Collection<NodeId> members) {
        if (survey == null) {
            Ballot ballot = elections.nextBallot();
            survey = new Survey(new Prepare(ballot, false, journal.decided(), journal.seats(), null, true), members);
            journal.promise(ballot);
        }
        Survey present = survey;
        List.copyOf(present.silent).forEach(node -> outlet.whenDurable(() -> outlet.send(node, present.question)));
    }

    /**
     * Takes an answer. With the last one, this node accepts what the others have accepted under higher ballots than it
     * has, under the same ballots. So if it does not go on in the end, this is no vote of its own, and says only what
     * was proposed.
     */
    void onPromise(Promise promise) {
        Survey present = survey;
        NodeId node = promise.seat().node();
        if (present == null
                || !promise.ballot().equals(present.question.ballot())
                || !present.silent.contains(node)
                || !present.electors.take(promise)) {
            return;
        }
        if (present.electors.seat(node) != null && present.silent.remove(node) && isReady()) {
            long slot = journal.decided();
            for (Proposal each : present.electors.accepted(slot)) {
                journal.accept(++slot, each.ballot(), each.entry());
            }
        }
    }

    /** Returns whether it has asked, and has promised nothing to anybody since. */
    public boolean isUnderWay() {
        return survey != null && journal.promised().equals(survey.question.ballot());
    }

    /** Returns whether all have answered as well. What they have, this member has accepted. */
    public boolean isReady() {
        return survey != null && survey.silent.isEmpty() && isUnderWay();
    }

    /** Asks no more. */
    public void end() {
        survey = null;
    }

    /**
     * Goes on. What this member has accepted counts as decided. It must not be called if others may know more to be decided, nor before all that are
     * left have answered and what this member has accepted is durable.
     */
    public void goOn(long now) {
        end();
        journal.goOn(seat, elections.nextBallot());
        voter.installed(journal.decided());
        elections.run(null, List.of(), now);
    }
}
