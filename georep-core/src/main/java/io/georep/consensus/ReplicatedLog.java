package io.georep.consensus;

import io.georep.consensus.LogMessage.Accept;
import io.georep.consensus.LogMessage.Accepted;
import io.georep.consensus.LogMessage.Learn;
import io.georep.consensus.LogMessage.Prepare;
import io.georep.consensus.LogMessage.Promise;
import io.georep.consensus.LogMessage.Refuse;
import io.georep.consensus.LogMessage.TakeOver;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group that agrees on a log by Multi-Paxos, with one leader at a time that proposes. A plain object,
 * used by one thread. The protocol that embeds it passes on messages and time, stores what {@link LogOutlet} says, and
 * calls {@link #endOfTurn} after the events of each turn.
 *
 * <p>Every member accepts in order, so one number says what it has, and a new leader finds no holes. A new leader
 * proposes what it found in phase 1 under its own ballot, so "accepted under my ballot up to here by enough seats"
 * means decided. Seats change by an entry of the log, one change at a time, and nothing is proposed behind a change
 * that is not decided.
 *
 * <p>The leader counts the votes and tells all what is decided. A member with a seat need not wait for that if the
 * leader {@linkplain #share shares} an entry: where two votes are a majority, the member knows both when it has voted
 * and the leader says that it has voted, too.
 */
public final class ReplicatedLog {
    private final Seat seat;
    private final LogTiming timing;
    private final LogOutlet outlet;
    private final Journal journal;
    private final Allegiance allegiance;
    private final Voter voter;
    private final Elections elections;
    private final LogRestoration restoration;
    private List<NodeId> learners = List.of();
    private @Nullable Leadership leadership;

    /** Whether this member only votes in this boot. */
    private boolean isAbstaining;

    /**
     * Begins a boot.
     *
     * @param seat this node with its present store
     * @param stored what the store holds
     */
    public ReplicatedLog(
            Seat seat, LogTiming timing, LogRecord stored, RandomGenerator random, LogOutlet outlet, long now) {
        if (seat.store() == Seat.ANY) {
            throw new IllegalArgumentException("a store needs a number of its own");
        }
        this.seat = seat;
        this.timing = timing;
        this.outlet = outlet;
        journal = new Journal(outlet, stored);
        allegiance = new Allegiance(journal, stored.departure(), outlet);
        voter = new Voter(seat, timing, journal, allegiance, outlet, now);
        elections = new Elections(seat, timing, random, journal, voter, allegiance, outlet, now);
        restoration = new LogRestoration(seat, journal, voter, elections, outlet);
    }

    /** Returns about how many bytes of memory it takes. */
    public long bytes() {
        return journal.bytes();
    }

    /** Takes a message of a member, or of this node itself. */
    public void onMessage(NodeId from, LogMessage message, long now) {
        if (message instanceof Prepare prepare) {
            elections.sees(prepare.ballot());
            Ballot before = journal.promised();
            voter.onPrepare(from, prepare, now);
            follow();
            if (!journal.promised().equals(before)) {
                elections.waitForTurn(now); // otherwise this node would end an attempt that may succeed
            }
        } else if (message instanceof Promise promise) {
            promised(promise, now);
        } else if (message instanceof Refuse refuse) {
            elections.sees(refuse.ballot());
            elections.giveWayTo(refuse.ballot());
            outbid(refuse.ballot(), now);
        } else if (message instanceof Accept accept) {
            elections.sees(accept.ballot());
            if (voter.onAccept(from, accept, now)) {
                follow();
                elections.end();
                elections.led(from);
                elections.waitForTurn(now);
            }
        } else if (message instanceof Accepted accepted && leadership != null) {
            leadership.onAccepted(from, accepted);
        } else if (message instanceof Learn learn) {
            elections.sees(learn.ballot());
            outbid(learn.ballot(), now); // what others have decided is not what this node has proposed
            voter.onLearn(learn);
        } else if (message instanceof TakeOver over
                && over.ballot().equals(journal.promised())
                && voter.hasSeat()
                && !isAbstaining) {
            run(over.ballot(), now);
        }
    }

    /**
     * A node has a log of this group. A member that has none founds none from then on, until it boots again, and ends what it has begun. A member
     * of a log that this one has gone on from goes over to it, or ends.
     */
    public LogRelation hears(NodeId from, LogPlace place, long now) {
        LogRelation relation = allegiance.hears(from, place);
        if (relation != LogRelation.KNOWN && relation != LogRelation.UNLIKE) {
            elections.end();
            restoration.end();
            leadership = null;
            elections.waitForTurn(now);
        }
        return relation;
    }

    /** From now on until it boots again, this member votes and does not lead. */
    public void abstain() {
        isAbstaining = true;
        leadership = null;
        elections.end();
    }

    /** Returns which log this member belongs to. */
    public Allegiance allegiance() {
        return allegiance;
    }

    /** Returns how this member goes on alone. */
    public LogRestoration restoration() {
        return restoration;
    }

    /** Stops leading, and trying to, if this node has promised a ballot higher than its own. */
    private void follow() {
        if (leadership != null && journal.promised().compareTo(leadership.ballot()) > 0) {
            leadership = null;
        }
        elections.giveWayTo(journal.promised());
    }

    /**
     * Leads anew under a higher ballot: otherwise the member that promised a higher one would be left out for as long as this
     * node leads.
     */
    private void outbid(Ballot promised, long now) {
        if (leadership != null && promised.compareTo(leadership.ballot()) > 0) {
            run(leadership.ballot(), now);
        }
    }

    private void promised(Promise promise, long now) {
        restoration.onPromise(promise);
        Candidacy won = elections.promised(promise, now);
        if (won == null) {
            return;
        }
        List<LogEntry> adopted = won.adopted(journal.decided());
        leadership = new Leadership(seat.node(), won.ballot(), timing, journal, voter, outlet, adopted, now);
        learners.forEach(leadership::follow);
        elections.waitForTurn(now);
        if (journal.seats().slot() == 0 && adopted.isEmpty()) {
            leadership.propose(LogEntry.seats(won.promisedSeats()));
        }
    }

    /** Sets which nodes get the decided entries without a seat. */
    public void learners(Collection<NodeId> members) {
        learners = List.copyOf(members);
        if (leadership != null) {
            leadership.keepOnly(members);
            members.forEach(leadership::follow);
        }
    }

    /**
     * Proposes a command. It is decided when {@link LogOutlet#onDecided} says so; if another node leads before that, it may be or not.
     *
     * @return the slot, 0 if this node does not lead or has no room
     */
    public long propose(Slice command) {
        return leadership == null || journal.seats().slot() == 0 || !leadership.hasRoom()
                ? 0
                : leadership.propose(new LogEntry(LogEntry.COMMAND, command));
    }

    /**
     * Lets other members know up to a slot that entries are decided before this leader knows it. So a caller at another node
     * waits only for the way to the leader and back. From then on, this leader does not know all that is decided.
     *
     * @return whether that is of use to anybody, and so
     */
    public boolean share(long slot) {
        return leadership != null && leadership.share(slot);
    }

    /** Returns up to which slot others may know more than this node, if it leads. */
    public long shared() {
        return leadership == null ? 0 : leadership.shared();
    }

    /**
     * Proposes other seats. Each of these members must have a seat now, and keeps it, or have caught up with this leader. One at least must
     * have one: it passes on to the others that the seats are theirs.
     *
     * @return the slot, 0 if this node does not lead, a change is under way, no seat stays, or a member has not caught up
     */
    public long reseat(List<NodeId> members) {
        if (leadership == null || journal.seats().slot() == 0 || leadership.isChanging()) {
            return 0;
        }
        List<Seat> seats = leadership.seats(members);
        return seats.stream().anyMatch(journal.seats()::has) ? leadership.propose(LogEntry.seats(seats)) : 0;
    }

    /** Called after the events of each turn, and when {@link #nextDeadlineNanos} has come. */
    public void endOfTurn(long now) {
        if (leadership != null) {
            lead(leadership, now);
        } else if (elections.isDue(now) && asks()) {
            elections.tryAgain(learners, now);
        }
    }

    /** Returns whether this member may begin an attempt. Without a seat it only asks whether another one could lead. */
    private boolean asks() {
        return !isAbstaining && !allegiance.goesOver() && (voter.isNamed() || learners.contains(seat.node()));
    }

    private void lead(Leadership leads, long now) {
        leads.decide(now);
        if (leads.mustRun()) {
            run(leads.ballot(), now);
            return;
        }
        Seat emptied = journal.seats().slot() > 0 && !leads.isChanging() ? leads.emptied() : null;
        if (emptied != null) {
            leads.propose(LogEntry.seats(journal.seats().replaced(emptied)));
        }
        if (voter.hasSeat() ? leads.shouldHandOver(elections.homecoming(), now) : !leads.isChanging()) {
            leads.endOfTurn(now);
            elections.handOver(leads);
            resign(now);
            return;
        }
        leads.endOfTurn(now);
        if (leads.leaseEnd(now) - now > 0) {
            elections.led(seat.node());
        }
        if (leads.heardAge(now) > 2 * timing.lease() && elections.isDue(now)) {
            resign(now);
        }
    }

    /** Stops leading. This node never leads under this ballot again, so a lease that it gave up stays given up. */
    private void resign(long now) {
        leadership = null;
        elections.waitForTurn(now);
    }

    private void run(@Nullable Ballot released, long now) {
        leadership = null;
        elections.run(released, learners, now);
    }

    /** The application's state as of a slot stands for the log up to there. Only decided slots. */
    public void forget(long upTo) {
        if (upTo > journal.base() && upTo <= journal.decided()) {
            journal.forget(upTo);
        }
    }

    /** The state of the application has come from another member, as of a slot, with the seats by then. */
    public void install(long slot, Seats seats) {
        if (slot > journal.decided()) {
            journal.install(slot, seats);
            voter.installed(slot);
        }
    }

    /** What is decided after that slot came with it. */
    public void learn(long slot, List<LogEntry> after) {
        voter.learn(slot + 1, after);
    }

    /** Returns when {@link #endOfTurn} is to be called at the latest; {@link Long#MAX_VALUE} for never. */
    public long nextDeadlineNanos() {
        return leadership != null ? leadership.nextBeat() : asks() ? elections.runAt() : Long.MAX_VALUE;
    }

    /** Returns the node that leads as far as this one knows; null if it knows of none. */
    public @Nullable NodeId leader(long now) {
        Ballot ballot = following(now);
        return ballot == null ? null : ballot.leader();
    }

    /** Returns under which ballot that node leads. If it was elected once more, it is another one. */
    public @Nullable Ballot following(long now) {
        if (leadership != null) {
            return leadership.ballot();
        }
        Ballot ballot = voter.following(now);
        return ballot == null || ballot.leader().equals(seat.node()) ? null : ballot; // its own is given up
    }

    /** Returns whether this node leads. */
    public boolean leads() {
        return leadership != null;
    }

    /**
     * Returns whether this node leads and no other one can: what it has decided, and some of what it has {@linkplain #share shared}, is
     * all that is decided. Ask after the request has arrived that depends on it, with the clock as of then.
     */
    public boolean hasLease(long now) {
        return leaseEnd(now) - now > 0;
    }

    /** Returns until when that is so, if no message says otherwise; {@code now} if it is not. */
    public long leaseEnd(long now) {
        return leadership == null ? now : leadership.leaseEnd(now);
    }

    /**
     * Makes a leader ask its members at the end of the turn whether they follow it.
     *
     * @return what {@link #isFollowedSince} takes; without meaning if this node does not lead
     */
    public long doubt() {
        return leadership == null ? 0 : leadership.doubt();
    }

    /**
     * Returns whether this node leads, and no other had begun to lead when this one doubted: what it had decided by
     * then, or shared, was all that was decided. This needs no clock, so it also holds after the machine was suspended.
     */
    public boolean isFollowedSince(long doubted) {
        return leadership != null && leadership.isFollowedSince(doubted);
    }

    /** Gives the lead to another member that has kept up, if this one leads and there is one. Returns whether it did. */
    public boolean handOver(long now) {
        Seat successor = leadership == null ? null : leadership.successor(now);
        if (leadership == null || successor == null) {
            return false;
        }
        leadership.handOver(successor);
        resign(now);
        return true;
    }

    /**
     * Returns whether this node leads and a change of the seats is under way. Until it is over, no other seat should
     * lose its store.
     */
    public boolean isChangingSeats() {
        return leadership != null && leadership.isChanging();
    }

    /** Returns whether this node has a vote with its present store. */
    public boolean hasSeat() {
        return voter.hasSeat();
    }

    /** Returns the last decided slot. */
    public long decided() {
        return journal.decided();
    }

    /** Returns how many slots the leader has called decided that this member does not have. */
    public long behind() {
        return voter.behind();
    }

    /** Returns the slot up to which the log is forgotten. */
    public long base() {
        return journal.base();
    }

    /** Returns the seats by the time of the base. */
    public Seats seatsAtBase() {
        return journal.seatsAtBase();
    }

    /** Returns the seats after the decided slots. */
    public Seats seats() {
        return journal.seats();
    }

    /** Returns a decided entry after the base, to execute it again after a boot. */
    public LogEntry entry(long slot) {
        if (slot <= journal.base() || slot > journal.decided()) {
            throw new IllegalArgumentException(
                    "slot " + slot + " is not between " + journal.base() + " and " + journal.decided());
        }
        return journal.proposal(slot).entry();
    }

    @Override
    public String toString() {
        String role = leadership != null ? "leads" : elections.isRunning() ? "runs" : "follows";
        return role + " with " + journal.promised() + ", " + journal.base() + ".." + journal.decided() + ".."
                + journal.last() + ", seats of " + journal.seats();
    }
}
