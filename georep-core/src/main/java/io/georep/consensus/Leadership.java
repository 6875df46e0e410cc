package io.georep.consensus;

import io.georep.consensus.LogMessage.Accept;
import io.georep.consensus.LogMessage.Accepted;
import io.georep.consensus.LogMessage.TakeOver;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A member that leads, from the end of phase 1 until somebody has a higher ballot. */
final class Leadership {
    /** The most slots between the last decided one and the last proposed one, and under way to a member. */
    static final int WINDOW = 4096;

    private final NodeId self;
    private final Ballot ballot;
    private final LogTiming timing;
    private final Journal journal;
    private final Voter voter;
    private final LogOutlet outlet;
    private final Followers followers;

    /** Proposed for the slots up to {@link #end}, and not yet accepted by this node itself. */
    private final List<LogEntry> proposed = new ArrayList<>();

    private long end;

    /** The change of seats that is not decided yet, 0 if there is none. Nothing is proposed behind it. */
    private long changing;

    /** The time since which this leader tells where the seats were decided. */
    private long seatsToldSince;

    /** Whether that change was found in phase 1. Then others may know it to be decided, and have gone on with the new seats. */
    private final boolean foundChange;

    /** The last slot that others may know to be decided from before this leader's ballot. */
    private final long adoptedTo;

    /** The last slot that this node itself has accepted under its ballot; -1 before the first turn. */
    private long accepted = -1;

    private long beatAt;

    /** The time that the messages of this turn carry; never the same in two turns. */
    private long stamp;

    /** Whether somebody waits to hear that it still leads. */
    private boolean isDoubted;

    private long told;

    /** Others may take slots up to here for decided before this leader does. */
    private long shared;

    private long toldHeld;

    /** The time since which the member at the home of the lead has kept up without a break; valid while it does. */
    private long homeSince;

    private boolean homeKeepsUp;

    Leadership(
            NodeId self,
            Ballot ballot,
            LogTiming timing,
            Journal journal,
            Voter voter,
            LogOutlet outlet,
            List<LogEntry> adopted,
            long now) {
        this.self = self;
        this.ballot = ballot;
        this.timing = timing;
        this.journal = journal;
        this.voter = voter;
        this.outlet = outlet;
        followers = new Followers(journal);
        end = journal.decided();
        adopted.forEach(this::propose);
        foundChange = changing > 0;
        adoptedTo = last();
        beatAt = now;
        stamp = now;
        seatsToldSince = now;
        told = journal.decided();
        journal.seats().list().forEach(seat -> follow(seat.node()));
    }

    Ballot ballot() {
        return ballot;
    }

    /** This member gets the entries from now on, with or without a seat. */
    void follow(NodeId member) {
        followers.add(member);
    }

    /**
     * Only these and the seats get the entries. While the seats change, no node is left out, because it may be about to get a
     * seat.
     */
    void keepOnly(Collection<NodeId> members) {
        followers.removeIf(name ->
                changing == 0 && !members.contains(name) && !journal.seats().names(name));
    }

    private long last() {
        return Math.max(end, journal.decided());
    }

    /** Returns whether an entry can be proposed now. */
    boolean hasRoom() {
        return changing == 0 && last() - journal.decided() < WINDOW;
    }

    /** Proposes an entry for the next slot, and returns the slot. */
    long propose(LogEntry entry) {
        if (journal.decided() > end) {
            // Somebody else has led, and this node has learned it.
            proposed.clear();
            end = journal.decided();
        }
        proposed.add(entry);
        end++;
        if (entry.changesSeats()) {
            changing = end;
        }
        return end;
    }

    /** Sends what is new, and heartbeats when it is time. */
    void endOfTurn(long now) {
        boolean isTime = now - beatAt >= 0;
        boolean beats = isDoubted || isTime;
        isDoubted = false;
        stamp = Math.max(now, stamp + 1);
        if (beats) {
            beatAt = now + timing.heartbeat();
        }
        boolean tells = beats || told < journal.decided();
        acceptOwn(now, tells);
        boolean holdsMore = toldHeld < held();
        followers.forEach((name, follower) -> {
            if (!name.equals(self)) {
                send(name, follower, tells || (holdsMore && journal.seats().names(name)), isTime);
            }
        });
        told = journal.decided();
        toldHeld = held();
    }

    /** See {@link ReplicatedLog#share}. */
    boolean share(long slot) {
        boolean isOfUse = journal.seats().quorum() == Voter.VOTES_KNOWN;
        shared = isOfUse ? Math.max(shared, slot) : shared;
        return isOfUse;
    }

    long shared() {
        return shared;
    }

    /** Returns up to where others may count the vote of this leader. It is durable: only then this leader hears of it itself. */
    private long held() {
        Seat own = journal.seats().of(self);
        return own == null ? 0 : Math.max(0, Math.min(shared, followers.matchedBy(own)));
    }

    private void acceptOwn(long now, boolean tells) {
        if (proposed.isEmpty() && !tells) {
            return;
        }
        long first = end - proposed.size() + 1;
        Accept own = accept(first, List.copyOf(proposed), 0); // the message to itself is no second vote
        accepted = last();
        proposed.clear();
        voter.onAccept(self, own, now);
    }

    private void send(NodeId name, Follower follower, boolean tells, boolean isTime) {
        if (follower.next <= journal.base()) {
            if (tells) {
                accept(name, journal.base() + 1, List.of());
            }
            if (isTime) {
                outlet.onBehind(name);
            }
            return;
        }
        boolean sent = false;
        long last = Math.min(accepted, follower.matched + WINDOW);
        while (follower.next <= last) {
            List<LogEntry> page = journal.page(follower.next, last);
            accept(name, follower.next, page);
            follower.next += page.size();
            sent = true;
        }
        if (tells && !sent) {
            accept(name, follower.next, List.of());
        }
    }

    private void accept(NodeId name, long first, List<LogEntry> page) {
        outlet.send(name, accept(first, page, held()));
    }

    private Accept accept(long first, List<LogEntry> entries, long held) {
        Seats seats = journal.seats();
        return new Accept(ballot, first, entries, journal.decided(), stamp, seats.log(), seats.slot(), held);
    }

    void onAccepted(NodeId from, Accepted said) {
        Follower follower = followers.find(from);
        if (follower == null || !said.ballot().equals(ballot)) {
            return;
        }
        if (journal.seats().isOfAnotherLog(said.log())) {
            outlet.onOtherLog(from);
            return;
        }
        if (said.matched() > last()) {
            return;
        }
        boolean isFirst = follower.seat == null || !follower.seat.equals(said.seat());
        follower.seat = said.seat();
        follower.matched = isFirst ? said.matched() : Math.max(follower.matched, said.matched());
        follower.next = Math.max(follower.next, said.matched() + 1);
        // Everything under way behind a gap reports the same gap: going back once is enough.
        if (isFirst || (said.gap() && said.clock() - follower.wentBack > 0)) {
            follower.next = said.matched() + 1;
            follower.wentBack = stamp;
        }
        follower.echo = isFirst || said.clock() - follower.echo > 0 ? said.clock() : follower.echo;
    }

    /** Decides what enough seats have accepted. */
    void decide(long now) {
        long seatsBefore = journal.seats().slot();
        long agreed = followers.agreed(accepted);
        // Only the new seats decide slots behind a change of seats, and nothing is proposed there before the change is
        // decided.
        journal.decide(Math.min(agreed, accepted));
        if (journal.seats().slot() > seatsBefore) {
            seatsToldSince = now;
            changing = foundChange ? changing : 0;
        }
    }

    /**
     * Returns whether the seats change, or too few of them know yet that they are the seats. If only this leader knew
     * and lost its store, the others would look for a quorum among seats that are gone.
     */
    boolean isChanging() {
        int knowing = followers.knowing(journal.seats().slot(), seatsToldSince);
        return changing > 0 || knowing < journal.seats().quorum();
    }

    /** Returns whether it must be elected by the new seats before it goes on: see {@link #foundChange}. */
    boolean mustRun() {
        return foundChange && changing <= journal.decided();
    }

    /**
     * Returns for how long enough seats have not renewed their promise to keep this leader, in nanoseconds. While that is less
     * than a lease, it leads alone.
     */
    long heardAge(long now) {
        return followers.heardAge(now);
    }

    /** See {@link ReplicatedLog#doubt}. */
    long doubt() {
        isDoubted = true;
        return stamp;
    }

    /** See {@link ReplicatedLog#isFollowedSince}. */
    boolean isFollowedSince(long doubted) {
        long following = followers.heardAfter(doubted);
        return hasWhatWasDecided() && following >= journal.seats().quorum();
    }

    private boolean hasWhatWasDecided() {
        return !foundChange && journal.decided() >= adoptedTo;
    }

    /** See {@link ReplicatedLog#leaseEnd}. */
    long leaseEnd(long now) {
        long age = hasWhatWasDecided() ? heardAge(now) : Long.MAX_VALUE;
        return age < timing.lease() - timing.drift() ? now - age + timing.lease() - timing.drift() : now;
    }

    /** See {@link Followers#emptied}. */
    @Nullable
    Seat emptied() {
        return followers.emptied();
    }

    /** See {@link Followers#seats}. */
    List<Seat> seats(Collection<NodeId> members) {
        return followers.seats(members);
    }

    /** Returns whether the member at the home of the lead has kept up for so long that it gets the lead back. */
    boolean shouldHandOver(long wait, long now) {
        Seat home = journal.seats().home();
        boolean keepsUp = !home.node().equals(self)
                && followers.matchedBy(home) + WINDOW >= journal.decided()
                && followers.ageOf(home, now) < timing.lease() - timing.drift();
        if (!keepsUp || !homeKeepsUp) {
            homeSince = now;
        }
        homeKeepsUp = keepsUp;
        return keepsUp && changing == 0 && now - homeSince >= wait;
    }

    private boolean isAtRest() {
        return changing == 0 && last() == journal.decided();
    }

    void handOver(Seat to) {
        accept(to.node(), followers.matchedBy(to) + 1, List.of());
        outlet.send(to.node(), new TakeOver(ballot));
    }

    /** Returns the seat of another node that has kept up, the one heard last; null if there is none, or more is to be decided. */
    @Nullable
    Seat successor(long now) {
        return journal.seats().list().stream()
                .filter(seat ->
                        !seat.node().equals(self) && followers.matchedBy(seat) >= journal.decided() && isAtRest())
                .min(Comparator.comparingLong(seat -> followers.ageOf(seat, now)))
                .orElse(null);
    }

    long nextBeat() {
        return beatAt;
    }
}
