package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member finds in its store at a boot.
 *
 * @param promised the highest ballot it has promised to wait for
 * @param base the slot up to which the state of the application stands for the log
 * @param seats the seats after the base
 * @param decided up to which slot the log is known to be decided
 * @param proposals what it has accepted for the slots after the base, in order
 * @param departure the other log that it goes over to; null for none
 */
public record LogRecord(
        Ballot promised,
        long base,
        Seats seats,
        long decided,
        List<Proposal> proposals,
        @Nullable Departure departure) {
    /** Copies the list. */
    public LogRecord {
        proposals = List.copyOf(proposals);
    }

    /** Creates the record of a member that goes over to no other log. */
    public LogRecord(Ballot promised, long base, Seats seats, long decided, List<Proposal> proposals) {
        this(promised, base, seats, decided, proposals, null);
    }

    /** Returns the seats after the slots that are known to be decided. */
    public Seats seatsNow() {
        Seats now = seats;
        for (int place = 0; place < Math.min(decided - base, proposals.size()); place++) {
            now = now.after(base + place + 1, proposals.get(place).entry());
        }
        return now;
    }

    /** Returns what an empty store holds, for a group that these nodes found together. */
    public static LogRecord empty(List<NodeId> founders) {
        return new LogRecord(Ballot.NONE, 0, Seats.founders(founders), 0, List.of());
    }
}
