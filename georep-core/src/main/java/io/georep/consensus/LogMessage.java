package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What members of a group say to each other.
 *
 * <pre>
 * message  = u8 1 | ballot | u8 kind | varint decided | varint slot | i64 log | bytes seats | u8 0 / (u8 1 | ballot)
 *          | u8 2 | ballot | u8 probe | seat | varint first | varint last | varint count | proposal*
 *          | u8 3 | ballot
 *          | u8 4 | ballot | varint first | varint decided | i64 clock | i64 log | varint seats | varint held
 *                 | varint count | entry*
 *          | u8 5 | ballot | seat | varint matched | i64 clock | u8 gap | i64 log
 *          | u8 6 | ballot
 *          | u8 7 | ballot | varint first | varint count | entry*
 * ballot   = varint round | text leader        seat = text node | i64 store        kind = 1 for a probe, 2 for a survey, 0 otherwise
 * proposal = ballot | entry                    entry = u8 kind | bytes body
 * </pre>
 */
public sealed interface LogMessage {
    /** The highest slot: so far from the highest number that sums of slots do not overflow. */
    long SLOT_MAX = 1L << 60;

    /**
     * Paxos phase 1a, for all slots after those the candidate knows to be decided. A probe only asks what the answer would be.
     *
     * @param seats the seats that the candidate knows to be decided; a receiver may not have heard of them yet
     * @param released the ballot of a leader that asked the candidate to take over; its lease does not stand in the way
     * @param survey whether all members are asked, see {@link LogRestoration}
     */
    record Prepare(
            Ballot ballot,
            boolean probe,
            long decided,
            Seats seats,
            @Nullable Ballot released,
            boolean survey) implements LogMessage {}

    /**
     * Phase 1b: a page of what the acceptor has accepted after the slots that the candidate knows to be decided. The pages come in order.
     *
     * @param first the slot of the first proposal
     * @param last the last slot of all pages
     */
    record Promise(Ballot ballot, boolean probe, Seat seat, long first, long last, List<Proposal> proposals)
            implements LogMessage {}

    /** The sender has promised a higher ballot, this one, or has a lease with its leader. */
    record Refuse(Ballot ballot) implements LogMessage {}

    /**
     * Phase 2a for consecutive slots, and with none of them a heartbeat.
     *
     * @param first the first slot
     * @param decided up to where the log is decided
     * @param clock of the leader, which comes back
     * @param log see {@link Seats#log}
     * @param seats where the seats were decided by which the leader counts
     * @param held up to where the leader has voted itself, durably, and others may take it for decided before the leader does; 0 if it
     *     has no vote by these seats
     */
    record Accept(
            Ballot ballot,
            long first,
            List<LogEntry> entries,
            long decided,
            long clock,
            long log,
            long seats,
            long held)
            implements LogMessage {}

    /**
     * Phase 2b: everything up to a slot is accepted under this ballot, or known to be decided.
     *
     * @param gap whether what came did not continue there
     * @param log see {@link Seats#log}
     */
    record Accepted(Ballot ballot, Seat seat, long matched, long clock, boolean gap, long log) implements LogMessage {}

    /** The leader with this ballot has resigned, and wants the receiver to be the next one. */
    record TakeOver(Ballot ballot) implements LogMessage {}

    /** What is decided and a candidate did not know. The ballot is the one that the sender has promised. */
    record Learn(Ballot ballot, long first, List<LogEntry> entries) implements LogMessage {}

    /** Returns the encoding. */
    default Slice encode() {
        BinWriter out = new BinWriter();
        if (this instanceof Prepare it) {
            it.ballot.write(out.u8(1));
            it.seats.write(out.u8(it.probe ? 1 : it.survey ? 2 : 0).varint(it.decided));
            out.u8(it.released == null ? 0 : 1);
            if (it.released != null) {
                it.released.write(out);
            }
        } else if (this instanceof Promise it) {
            it.ballot.write(out.u8(2));
            it.seat.write(out.u8(it.probe ? 1 : 0));
            out.varint(it.first).varint(it.last).varint(it.proposals.size());
            it.proposals.forEach(proposal -> proposal.write(out));
        } else if (this instanceof Refuse it) {
            it.ballot.write(out.u8(3));
        } else if (this instanceof Accept it) {
            it.ballot.write(out.u8(4));
            out.varint(it.first).varint(it.decided).i64(it.clock).i64(it.log);
            out.varint(it.seats).varint(it.held);
            writeEntries(out, it.entries);
        } else if (this instanceof Accepted it) {
            it.ballot.write(out.u8(5));
            it.seat.write(out);
            out.varint(it.matched).i64(it.clock).u8(it.gap ? 1 : 0).i64(it.log);
        } else if (this instanceof TakeOver it) {
            it.ballot.write(out.u8(6));
        } else if (this instanceof Learn it) {
            it.ballot.write(out.u8(7));
            writeEntries(out.varint(it.first), it.entries);
        }
        return out.toSlice();
    }

    /**
     * Reads a message.
     *
     * @throws MalformedException if it is none
     */
    static LogMessage read(BinReader in) {
        int type = in.u8();
        Ballot ballot = Ballot.read(in);
        return switch (type) {
            case 1 -> {
                int kind = in.u8();
                long decided = slot(in);
                Seats seats = Seats.read(in);
                Ballot released = in.u8() == 1 ? Ballot.read(in) : null;
                yield new Prepare(ballot, kind == 1, decided, seats, released, kind == 2);
            }
            case 2 -> {
                boolean probe = in.u8() == 1;
                Seat seat = Seat.read(in);
                long first = slot(in);
                long last = slot(in);
                int count = in.count(5, "proposals");
                List<Proposal> proposals = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    proposals.add(Proposal.read(in));
                }
                yield new Promise(ballot, probe, seat, first, last, proposals);
            }
            case 3 -> new Refuse(ballot);
            case 4 -> {
                long first = slot(in);
                long decided = slot(in);
                long clock = in.i64();
                long log = in.i64();
                long seats = slot(in);
                long held = slot(in);
                yield new Accept(ballot, first, readEntries(in), decided, clock, log, seats, held);
            }
            case 5 -> new Accepted(ballot, Seat.read(in), slot(in), in.i64(), in.u8() == 1, in.i64());
            case 6 -> new TakeOver(ballot);
            case 7 -> new Learn(ballot, slot(in), readEntries(in));
            default -> throw new MalformedException("a message of type " + type);
        };
    }

    private static void writeEntries(BinWriter out, List<LogEntry> entries) {
        out.varint(entries.size());
        entries.forEach(entry -> entry.write(out));
    }

    private static List<LogEntry> readEntries(BinReader in) {
        int count = in.count(2, "entries");
        List<LogEntry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(LogEntry.read(in));
        }
        return entries;
    }

    private static long slot(BinReader in) {
        return in.varint(SLOT_MAX, "slot");
    }
}
