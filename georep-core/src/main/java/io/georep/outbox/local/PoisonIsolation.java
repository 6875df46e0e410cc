package io.georep.outbox.local;

/**
 * Which entries a batch handler gets in a call of their own. When a call for several entries fails, nobody knows which of
 * them is to blame; so each comes alone from then on, and succeeds or fails for itself. But when calls failed in a row, the
 * consumer was down: what was suspected meanwhile may share a call once more, so that the backlog of an outage leaves in
 * batches. Thread-safe; while nothing fails it costs a volatile read per call.
 */
final class PoisonIsolation {
    /** As many failed calls with no success between them are an outage of the consumer. */
    static final int OUTAGE_CALLS = 4;

    private static final long FOR_GOOD = Long.MAX_VALUE;

    /** Calls that failed since the last success. */
    private volatile int failedInRow;

    /** What was suspected in rows up to this one is cleared. */
    private volatile long clearedUpTo;

    /** Number of the present row of failures. */
    private long row = 1;

    boolean comesAlone(EntryInHand attempt) {
        return attempt.suspectedIn > clearedUpTo;
    }

    /** A call succeeded, at least for one entry. */
    void callSucceeded() {
        if (failedInRow > 0) {
            endRow();
        }
    }

    private synchronized void endRow() {
        if (failedInRow >= OUTAGE_CALLS) {
            clearedUpTo = row;
        }
        if (failedInRow > 0) {
            failedInRow = 0;
            row++;
        }
    }

    /** A call failed as a whole, whatever the number of its entries. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the monitor only
    synchronized void callFailed() {
        failedInRow++;
    }

    /** This entry was in a failed call with others; the second time it has no more excuse. */
    synchronized void suspect(EntryInHand attempt) {
        attempt.suspectedIn = attempt.suspectedIn == 0 ? row : FOR_GOOD;
    }

    /** This entry has one more chance, which it must not share. */
    static void suspectForGood(EntryInHand attempt) {
        attempt.suspectedIn = FOR_GOOD;
    }
}
