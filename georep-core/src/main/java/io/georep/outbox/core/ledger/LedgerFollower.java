package io.georep.outbox.core.ledger;

import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;

/** Keeps something about live entries beside the facts of a {@link Ledger}. */
public interface LedgerFollower {
    /** For a ledger beside which nothing is kept. */
    LedgerFollower NONE = new LedgerFollower() {
        @Override
        public void changedHands(StreamTable table, RangeList ranges, Custody custody, Turn turn) {}

        @Override
        public void finished(StreamTable table, RangeList ranges, Turn turn) {}
    };

    /** Entries are held in another way, or not at all. */
    void changedHands(StreamTable table, RangeList ranges, Custody custody, Turn turn);

    /** Entries are finished. */
    void finished(StreamTable table, RangeList ranges, Turn turn);
}
