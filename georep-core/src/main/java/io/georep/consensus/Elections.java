package io.georep.consensus;

import io.georep.consensus.LogMessage.Promise;
import io.georep.model.NodeId;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A member's attempts to lead, and when it makes them. */
final class Elections {
    private static final int DOUBLINGS_MAX = 5;
    private static final int REFUSALS_MAX = 6;

    private final Seat seat;
    private final LogTiming timing;
    private final RandomGenerator random;
    private final Journal journal;
    private final Voter voter;
    private final Allegiance allegiance;
    private final LogOutlet outlet;
    private @Nullable Candidacy candidacy;
    private Ballot highest;
    private long runAt;

    /** How many attempts of this node got to phase 1 since it knew of a leader. */
    private int attempts;

    /** How many times this member has given the lead to the home since the home last led. */
    private int refusals;

    Elections(
            Seat seat,
            LogTiming timing,
            RandomGenerator random,
            Journal journal,
            Voter voter,
            Allegiance allegiance,
            LogOutlet outlet,
            long now) {
        this.seat = seat;
        this.timing = timing;
        this.random = random;
        this.journal = journal;
        this.voter = voter;
        this.allegiance = allegiance;
        this.outlet = outlet;
        highest = journal.promised();
        waitForTurn(now);
    }

    void sees(Ballot ballot) {
        highest = ballot.compareTo(highest) > 0 ? ballot : highest;
    }

    /** Returns a ballot that no node has used. */
    Ballot nextBallot() {
        sees(journal.promised());
        highest = highest.next(seat.node());
        return highest;
    }

    boolean isRunning() {
        return candidacy != null;
    }

    /** Gives up the present attempt if this ballot, which somebody else has, is higher. */
    void giveWayTo(Ballot ballot) {
        if (candidacy != null && ballot.compareTo(candidacy.ballot()) > 0) {
            candidacy = null;
        }
    }

    /** Gives up the present attempt. */
    void end() {
        candidacy = null;
    }

    /** Takes note that somebody certainly leads. */
    void led(NodeId leader) {
        attempts = 0;
        refusals = leader.equals(journal.seats().home().node()) ? 0 : refusals;
    }

    /**
     * Returns how long the home must have kept up before it gets the lead. Each time that it was given the lead and did not
     * take it, as a member that only votes does not, the group was without a leader for a while; so the time doubles.
     */
    long homecoming() {
        return timing.homecoming() << refusals;
    }

    /** This member gives the lead to its home. */
    void handOver(Leadership lead) {
        lead.handOver(journal.seats().home());
        refusals = Math.min(refusals + 1, REFUSALS_MAX);
    }

    /** Takes an answer; returns the present attempt if it has won by that. */
    @Nullable
    Candidacy promised(Promise promise, long now) {
        Candidacy present = candidacy;
        if (present == null || !present.seats().equals(journal.seats())) {
            candidacy = null;
            return null;
        }
        boolean probed = present.isProbing();
        if (present.onPromise(promise)) {
            candidacy = null;
            return present;
        }
        if (probed && !present.isProbing()) {
            attempts = Math.min(attempts + 1, DOUBLINGS_MAX);
            waitForTurn(now);
        }
        return null;
    }

    boolean isDue(long now) {
        return now - runAt >= 0;
    }

    long runAt() {
        return runAt;
    }

    /** The next attempt is due: under the same ballot if too few have answered, because answers may be on their way for longer than this node waits. */
    void tryAgain(List<NodeId> learners, long now) {
        if (candidacy != null && candidacy.isUnanswered(journal, learners)) {
            waitForTurn(now);
            candidacy.ask();
        } else {
            run(null, learners, now);
        }
    }

    /** The next attempt is due later: at once it would end this one. */
    void run(@Nullable Ballot released, List<NodeId> learners, long now) {
        waitForTurn(now);
        candidacy =
                new Candidacy(nextBallot(), journal, voter.hasSeat(), allegiance.elder(), learners, released, outlet);
    }

    /**
     * Sets when the next attempt is due: after a lease without a leader, in the order of the seats except that leader's, so that two
     * attempts rarely run at once and nobody waits for chance. The wait doubles after each attempt that had a majority and was not over in
     * time: an attempt waits for two syncs, and disks may be slow.
     */
    void waitForTurn(long now) {
        long own = voter.place(attempts == 0) * (timing.lease() / 4) + random.nextLong(timing.lease() / 8);
        runAt = now + Math.max(0, voter.keepsUntil() - now) + ((timing.heartbeat() + own) << attempts);
    }
}
