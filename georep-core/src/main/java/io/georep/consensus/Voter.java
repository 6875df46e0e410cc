package io.georep.consensus;

import io.georep.consensus.LogMessage.Accept;
import io.georep.consensus.LogMessage.Accepted;
import io.georep.consensus.LogMessage.Learn;
import io.georep.consensus.LogMessage.Prepare;
import io.georep.consensus.LogMessage.Promise;
import io.georep.consensus.LogMessage.Refuse;
import io.georep.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The acceptor of a member: what it promises, what it accepts, and whom it follows. */
final class Voter {
    /** The votes that a member knows of before its leader does: that of the leader and its own. */
    static final int VOTES_KNOWN = 2;

    /**
     * How many pages, and about how many bytes, a candidate gets that knows less. If more is left, the candidate gets it when
     * it asks again.
     */
    private static final int PAGES_TAUGHT = 64;

    private static final long BYTES_TAUGHT = 4 << 20;

    private final Seat seat;
    private final LogTiming timing;
    private final Journal journal;
    private final Allegiance allegiance;
    private final LogOutlet outlet;

    /** The ballot of the leader whose proposals it accepted last in this boot; null before the first ones. */
    private @Nullable Ballot following;

    /** Everything up to this slot is decided, or accepted under that ballot. */
    private long matched;

    /** A leader has said that everything up to this slot is decided. */
    private long told;

    /** The leader that it follows has said that it has voted up to this slot, and by which seats these votes count. */
    private long held;

    private long heldBy;

    /** Under which ballot, and after how many stores, it last waited until what it accepted was durable. */
    private @Nullable Ballot awaited;

    private long awaitedStores;

    /** All that it accepted under this ballot, or knows to be decided, is durable up to {@link #durablyMatched}. */
    private Ballot durable;

    private long durablyMatched;
    private long durablyDecided;

    /**
     * Until this time it promises nothing to another candidate, because of the leader that it follows, or may have followed
     * before this boot.
     */
    private long keepsUntil;

    Voter(Seat seat, LogTiming timing, Journal journal, Allegiance allegiance, LogOutlet outlet, long now) {
        this.seat = seat;
        this.timing = timing;
        this.journal = journal;
        this.allegiance = allegiance;
        this.outlet = outlet;
        matched = journal.decided();
        durable = journal.promised();
        durablyMatched = matched;
        durablyDecided = matched;
        keepsUntil = now + timing.lease();
    }

    /** Returns the ballot of the leader it follows; null if it has heard of none for longer than a lease. */
    @Nullable
    Ballot following(long now) {
        return now - keepsUntil >= 0 ? null : following;
    }

    /**
     * Returns how many seats come before its own.
     *
     * @param amongOthers without that of the leader it followed last in this boot: that leader may be dead, so at first nobody
     *     waits for it
     */
    int place(boolean amongOthers) {
        int place = journal.seats().place(seat.node());
        Ballot last = amongOthers ? following : null;
        return last != null && journal.seats().place(last.leader()) < place ? place - 1 : place;
    }

    /** Returns when it may help another one to the lead. */
    long keepsUntil() {
        return keepsUntil;
    }

    /** Returns how many slots are decided that it does not have, as far as it was told. */
    long behind() {
        return Math.max(0, told - journal.decided());
    }

    /** Returns whether its store may vote. */
    boolean hasSeat() {
        return journal.seats().has(seat);
    }

    /** Returns whether this node has a seat, perhaps with another store. */
    boolean isNamed() {
        return journal.seats().names(seat.node());
    }

    void onPrepare(NodeId from, Prepare ask, long now) {
        if (allegiance.hasEnded()) {
            return;
        }
        boolean isFounding = ask.seats().slot() == 0;
        boolean isWitness = isFounding && !ask.seats().names(seat.node());
        boolean isEmptied =
                !isFounding && ask.seats().names(seat.node()) && !ask.seats().has(seat);
        if (ask.probe() && (isEmptied || (isWitness && journal.decided() > 0))) {
            // It has no vote, and says why.
            outlet.send(from, new Promise(ask.ballot(), true, seat, ask.decided() + 1, journal.decided(), List.of()));
            return;
        }
        if (ask.seats().isOfAnotherLog(allegiance.log())) {
            outlet.onOtherLog(from);
            return;
        }
        boolean foundsBeside = isFounding && !ask.probe() && allegiance.elder() != null;
        boolean isAsked = ask.survey()
                ? allegiance.log() == ask.seats().log()
                : isWitness || ask.seats().has(seat);
        if (foundsBeside || !isAsked) {
            return;
        }
        boolean knowsLess = ask.decided() < journal.decided();
        boolean kept = now - keepsUntil < 0 && (following == null || !following.equals(ask.released()));
        boolean isLow = ask.ballot().compareTo(journal.promised()) < 0
                || (ask.probe() && ask.ballot().equals(journal.promised()));
        if (knowsLess) {
            teach(from, ask.decided());
        }
        if (knowsLess || kept || isLow) {
            outlet.send(from, new Refuse(journal.promised()));
            return;
        }
        long first = ask.decided() + 1;
        if (ask.probe()) {
            outlet.send(from, new Promise(ask.ballot(), true, seat, first, ask.decided(), List.of()));
            return;
        }
        if (!ask.ballot().equals(journal.promised())) {
            journal.promise(ask.ballot());
        }
        // While it goes over, what it has accepted is of the log that it has left.
        long last = allegiance.goesOver() ? ask.decided() : Math.max(ask.decided(), journal.last());
        do {
            List<Proposal> page = journal.proposals(first, last);
            Promise promise = new Promise(ask.ballot(), false, seat, first, last, page);
            outlet.whenDurable(() -> outlet.send(from, promise));
            first += page.size();
        } while (first <= last);
    }

    private void teach(NodeId candidate, long decided) {
        if (decided < journal.base()) {
            outlet.onBehind(candidate);
            return;
        }
        long taught = decided;
        long bytes = 0;
        for (int page = 0; page < PAGES_TAUGHT && bytes < BYTES_TAUGHT && taught < journal.decided(); page++) {
            List<LogEntry> entries = journal.page(taught + 1, journal.decided());
            outlet.send(candidate, new Learn(journal.promised(), taught + 1, entries));
            taught += entries.size();
            bytes += entries.stream().mapToLong(entry -> entry.body().length()).sum();
        }
    }

    /** Takes decided entries. The message does not say of which log they are. */
    void onLearn(Learn learn) {
        if (!allegiance.goesOver()) {
            learn(learn.first(), learn.entries());
        }
    }

    void learn(long first, List<LogEntry> entries) {
        long slot = first;
        for (LogEntry entry : entries) {
            if (slot == journal.decided() + 1) {
                journal.accept(slot, journal.promised(), entry);
                journal.decide(slot);
            }
            slot++;
        }
        matched = Math.max(matched, journal.decided());
    }

    /** Returns whether the ballot was high enough. */
    boolean onAccept(NodeId from, Accept accept, long now) {
        Ballot ballot = accept.ballot();
        if (allegiance.hasEnded() || (accept.log() == 0 && allegiance.elder() != null)) {
            return false;
        }
        long log = allegiance.log();
        if (log != 0 && accept.log() != 0 && log != accept.log()) {
            outlet.onOtherLog(from);
            outlet.send(from, accepted(ballot, journal.decided(), accept.clock(), false));
            return false;
        }
        int order = ballot.compareTo(journal.promised());
        if (order < 0) {
            outlet.send(from, new Refuse(journal.promised()));
            return false;
        }
        if (order > 0) {
            journal.promise(ballot);
        }
        if (!ballot.equals(following)) {
            following = ballot;
            matched = journal.decided();
            held = 0;
        }
        keepsUntil = now + timing.lease();
        told = accept.decided();
        boolean gap = accept.first() > matched + 1;
        if (!gap) {
            take(accept);
        }
        // Behind a gap as well: the leader takes the echo as a sign that this member knows all that the leader said to
        // be decided.
        journal.decide(Math.min(accept.decided(), matched));
        held = accept.held();
        heldBy = accept.seats();
        decideEarly();
        answer(from, ballot, accept.clock(), gap);
        return true;
    }

    /**
     * Decides what the leader has voted for and this node too, where that is a majority. Both votes are durable, under the same ballot
     * and by the same seats, so this is no other decision than that of the leader, who only hears of it later: any majority that elects
     * another leader contains one of the two, who reports it, and then it is proposed again. A change of the seats is left to the leader,
     * so that nobody counts by other seats than the leader who has not heard of them. In a log that it has left nothing is decided any more.
     */
    private void decideEarly() {
        Seats seats = journal.seats();
        boolean counts = !allegiance.goesOver()
                && durable.equals(following)
                && heldBy == seats.slot()
                && seats.has(seat)
                && seats.quorum() <= VOTES_KNOWN;
        long upTo = counts ? Math.min(held, Math.min(durablyMatched, matched)) : 0;
        for (long slot = journal.decided() + 1; slot <= upTo; slot++) {
            if (journal.proposal(slot).entry().changesSeats()) {
                upTo = slot - 1;
            }
        }
        journal.decide(upTo);
    }

    /**
     * Tells what is new when it is durable. The echo of the clock waits only for the promise and for changed seats: whether
     * this node follows must not depend on a slow or full disk.
     */
    private void answer(NodeId from, Ballot ballot, long clock, boolean gap) {
        if (ballot.equals(durable) && journal.seats().slot() <= durablyDecided) {
            outlet.send(from, accepted(ballot, Math.min(durablyMatched, matched), clock, gap));
        }
        if (ballot.equals(awaited) && awaitedStores == journal.stores()) {
            return;
        }
        awaited = ballot;
        awaitedStores = journal.stores();
        Accepted accepted = accepted(ballot, matched, clock, gap);
        long decided = journal.decided();
        outlet.whenDurable(() -> {
            durable = ballot;
            durablyMatched = accepted.matched();
            durablyDecided = decided;
            outlet.send(from, accepted);
            decideEarly();
        });
    }

    private Accepted accepted(Ballot ballot, long upTo, long clock, boolean gap) {
        return new Accepted(ballot, seat, upTo, clock, gap, allegiance.log());
    }

    private void take(Accept accept) {
        long slot = accept.first();
        for (LogEntry entry : accept.entries()) {
            if (slot > matched) {
                journal.accept(slot, accept.ballot(), entry);
                matched = slot;
            }
            slot++;
        }
    }

    /** A member that got the state as of a slot needs nothing before it. */
    void installed(long slot) {
        matched = Math.max(matched, slot);
    }
}
