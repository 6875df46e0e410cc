package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;

/**
 * What an acceptor has accepted for a slot.
 *
 * @param ballot of the leader who proposed it
 * @param entry what was proposed
 */
public record Proposal(Ballot ballot, LogEntry entry) {
    /** Appends the encoding. */
    public void write(BinWriter out) {
        ballot.write(out);
        entry.write(out);
    }

    /** Reads what {@link #write} has written. */
    public static Proposal read(BinReader in) {
        return new Proposal(Ballot.read(in), LogEntry.read(in));
    }
}
