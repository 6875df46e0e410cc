package io.georep.consensus;

import io.georep.model.BrokenInvariantException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a member has stored of the log: what it promised, what it accepted after the base, which of that it knows to be decided, and the
 * seats by then. Acceptance is in order, so there are no holes.
 */
final class Journal {
    private static final int PAGE_BYTES = 48 * 1024;

    /** About what a proposal takes beside its body. */
    private static final int PROPOSAL_BYTES = 32;

    /** About what a proposal takes beside its body in memory. */
    private static final long MEMORY_BYTES = 96;

    private final LogOutlet outlet;
    private final List<Proposal> proposals = new ArrayList<>();
    private Ballot promised;
    private long base;
    private Seats seatsAtBase;
    private long decided;
    private Seats seats;
    private long bytes;

    /** How often something was stored in this boot. */
    private long stores;

    Journal(LogOutlet outlet, LogRecord stored) {
        this.outlet = outlet;
        promised = stored.promised();
        base = stored.base();
        seatsAtBase = stored.seats();
        seats = stored.seatsNow();
        proposals.addAll(stored.proposals());
        bytes = bytes(proposals);
        decided = Math.max(base, Math.min(stored.decided(), last()));
    }

    private static long bytes(List<Proposal> some) {
        return some.stream().mapToLong(Journal::bytes).sum();
    }

    private static long bytes(Proposal each) {
        return MEMORY_BYTES + each.entry().body().length();
    }

    /** About what the proposals take in memory. */
    long bytes() {
        return bytes;
    }

    long stores() {
        return stores;
    }

    Ballot promised() {
        return promised;
    }

    long base() {
        return base;
    }

    long decided() {
        return decided;
    }

    /** Returns the last slot with a proposal. */
    long last() {
        return base + proposals.size();
    }

    Seats seatsAtBase() {
        return seatsAtBase;
    }

    /** Returns the seats after the decided slots. */
    Seats seats() {
        return seats;
    }

    /** Returns whether what is accepted for the first slot would begin the log with this id. */
    boolean begins(long id) {
        return base == 0
                && last() > 0
                && seatsAtBase.after(1, proposal(1).entry()).log() == id;
    }

    /** Returns what was accepted last for a slot after the base. */
    Proposal proposal(long slot) {
        return proposals.get((int) (slot - base - 1));
    }

    /** Returns proposals from a slot after the base on, up to another one, as many as fit into a message: one at least, if any. */
    List<Proposal> proposals(long first, long last) {
        if (first > last) {
            return List.of();
        }
        long bytes = 0;
        long slot = first;
        while (slot <= last) {
            bytes += proposal(slot).entry().body().length() + PROPOSAL_BYTES;
            if (slot > first && bytes > PAGE_BYTES) {
                break;
            }
            slot++;
        }
        return List.copyOf(proposals.subList((int) (first - base - 1), (int) (slot - base - 1)));
    }

    /** Returns what is proposed there. */
    List<LogEntry> page(long first, long last) {
        return proposals(first, last).stream().map(Proposal::entry).toList();
    }

    void promise(Ballot ballot) {
        BrokenInvariantException.require(ballot.compareTo(promised) > 0, "promises only rise", this);
        promised = ballot;
        outlet.storePromise(ballot);
        stores++;
    }

    /** Accepts an entry for a slot that is not decided, and no later than the one after the last. */
    void accept(long slot, Ballot ballot, LogEntry entry) {
        BrokenInvariantException.require(slot > decided, "what is decided is accepted for good", this);
        BrokenInvariantException.require(slot <= last() + 1, "entries are accepted without holes", this);
        Proposal proposal = new Proposal(ballot, entry);
        int place = (int) (slot - base - 1);
        if (entry.kind() == LogEntry.GOES_ON
                && place < proposals.size()
                && !proposals.get(place).entry().equals(entry)) {
            end(slot); // what was accepted behind it is of the log before
        }
        bytes += bytes(proposal);
        if (place == proposals.size()) {
            proposals.add(proposal);
        } else {
            bytes -= bytes(proposals.set(place, proposal));
        }
        outlet.storeProposal(slot, proposal);
        stores++;
    }

    /** Forgets what was accepted after this slot. */
    private void end(long slot) {
        List<Proposal> gone = proposals.subList((int) (slot - base), proposals.size());
        bytes -= bytes(gone);
        gone.clear();
        outlet.dropProposals(slot);
        stores++;
    }

    /** All slots up to this one are decided, with what was accepted for them. */
    void decide(long upTo) {
        if (upTo <= decided) {
            return;
        }
        BrokenInvariantException.require(upTo <= last(), "only what was accepted is decided", this);
        while (decided < upTo) {
            pass(decided + 1);
            outlet.onDecided(decided, proposal(decided).entry());
        }
        outlet.storeDecided(decided);
        stores++;
    }

    private void pass(long slot) {
        decided = slot;
        seats = seatsAfter(seats, slot);
    }

    private Seats seatsAfter(Seats before, long slot) {
        return before.after(slot, proposal(slot).entry());
    }

    /** All that is accepted counts as decided, and then another log goes on with this seat only. */
    void goOn(Seat seat, Ballot ballot) {
        long inCommon = decided;
        promise(ballot);
        decide(last());
        accept(decided + 1, ballot, LogEntry.goesOn(seat, inCommon));
        decide(decided + 1);
    }

    /** Forgets the proposals up to a decided slot. */
    void forget(long upTo) {
        BrokenInvariantException.require(upTo <= decided, "only what is decided is forgotten", this);
        Seats then = seatsAtBase;
        for (long slot = base + 1; slot <= upTo; slot++) {
            then = seatsAfter(then, slot);
        }
        rebase(upTo, then);
    }

    /** The state of the application as of a slot after the decided ones has come from another member. */
    void install(long slot, Seats then) {
        boolean isAnother = seats.isOfAnotherLog(then.log());
        rebase(slot, then);
        if (isAnother && last() > slot) {
            end(slot);
        }
        decided = slot;
        seats = then;
    }

    private void rebase(long slot, Seats then) {
        List<Proposal> gone = proposals.subList(0, (int) (Math.min(slot, last()) - base));
        bytes -= bytes(gone);
        gone.clear();
        base = slot;
        seatsAtBase = then;
        BrokenInvariantException.require(
                bytes >= 0 && (bytes == 0) == proposals.isEmpty(), "bytes are those of proposals", this);
        outlet.storeBase(slot, then);
        stores++;
    }

    @Override
    public String toString() {
        return "journal with " + promised + ", " + base + ".." + decided + ".." + last() + ", " + bytes + " bytes";
    }
}
