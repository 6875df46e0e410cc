package io.georep.outbox.local;

/**
 * Decides which entries a batch handler gets in a call of their own. When a call for several entries fails, nobody
 * knows which of them caused it. So each of them comes alone from then on, and succeeds or fails by itself. But if
 * several calls in a row failed, the consumer was down. Then the entries that were suspected meanwhile may share a call
 * once more, so that the backlog of an outage leaves in batches. Thread-safe; while nothing fails, it costs one
 * volatile read per call.
 */
final class PoisonIsolation {
    /** After this many failed calls with no success between them the consumer counts as down. */
    static final int OUTAGE_CALLS = 4;

    private static final long FOR_GOOD = Long.MAX_VALUE;

    /** Calls that failed since the last success. */
    private volatile int failedInRow;

    /** Entries that were suspected in rows up to this one are cleared. */
    private volatile long clearedUpTo;

    /** Number of the present row of failures. */
    private long row = 1;

    boolean comesAlone(EntryInHand inHand) {
        return inHand.suspectedIn > clearedUpTo;
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

    /** This entry was in a failed call with others. If that happens again, it is called alone. */
    synchronized void suspect(EntryInHand inHand) {
        inHand.suspectedIn = inHand.suspectedIn == 0 ? row : FOR_GOOD;
    }

    /** This entry gets one more attempt, and must be alone in it. */
    static void suspectForGood(EntryInHand inHand) {
        inHand.suspectedIn = FOR_GOOD;
    }
}
