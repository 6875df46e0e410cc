package io.georep.funnel.core;

import io.georep.protocol.Turn;

/** Times to live: the tail removes a key when its time has come by the tail's wall clock, with a write like any other. */
final class Expiry {
    /** Most keys that are removed in one turn. */
    private static final int BATCH = 1000;

    /** After so long a removal is made again, in case it was lost. */
    private static final long AGAIN_MILLIS = 10_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * After how long it looks again at the latest. The time until an expiry may be more than a number of nanoseconds can hold.
     */
    private static final long LOOK_MILLIS = 86_400_000;

    private final FunnelContext context;
    private final Head head;
    private long dueAtNanos = Long.MAX_VALUE;

    Expiry(FunnelContext context, Head head) {
        this.context = context;
        this.head = head;
    }

    private boolean isInCharge(long now) {
        return context.isServing()
                && context.isTail()
                && context.standing.isOpen()
                && now < context.standing.writeUntil();
    }

    void tick(Turn turn) {
        if (!isInCharge(turn.now())) {
            return;
        }
        long wall = turn.wallMillis();
        for (int count = 0; count < BATCH && mayAdd(); count++) {
            Tables.Due first = context.tables.firstExpiry();
            if (first == null || first.at() > wall) {
                return;
            }
            context.tables.postpone(first, wall + AGAIN_MILLIS);
            if (!first.cell().isEnding()) {
                head.expire(first.cell(), turn);
            }
        }
    }

    /** Half of what this node may have under way is left to its callers; what is made again counts too. */
    private boolean mayAdd() {
        return context.storeState().takesEntries()
                && context.own.count() < (context.settings.uncommittedMax() + 1) / 2
                && !head.isFarAhead();
    }

    void endOfTurn(Turn turn) {
        // What cannot be removed now, for example because the disk is full, waits until it can.
        boolean mayRemove = isInCharge(turn.now()) && mayAdd();
        Tables.Due first = mayRemove ? context.tables.firstExpiry() : null;
        dueAtNanos = first == null
                ? Long.MAX_VALUE
                : turn.now() + Math.min(LOOK_MILLIS, Math.max(1, first.at() - turn.wallMillis())) * NANOS_PER_MILLI;
    }

    long nextDeadlineNanos() {
        return dueAtNanos;
    }
}
