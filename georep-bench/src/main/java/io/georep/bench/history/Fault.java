package io.georep.bench.history;

/** What is done to a node, to what one node says to another one, or to all nodes. */
public enum Fault {
    /** The process was killed and is not started again yet. */
    DOWN(Scope.NODE),
    /** All threads of the process are stopped. */
    FROZEN(Scope.NODE),
    /** The files of the node are gone, or are those of an earlier time. */
    STORE_LOST(Scope.NODE),
    /** The disk has no space. */
    DISK_FULL(Scope.NODE),
    /** The disk answers nothing. */
    DISK_HUNG(Scope.NODE),
    /** The wall clock jumped. */
    CLOCK_STEPPED(Scope.NODE),
    /** Nothing gets through. */
    BLOCKED(Scope.WAY),
    /** The connections broke. */
    BROKEN(Scope.WAY),
    /** Everything takes longer. */
    DELAYED(Scope.WAY),
    /** Bytes are damaged. */
    DAMAGED(Scope.WAY),
    /** The other side reads slowly. */
    SLOW(Scope.WAY),
    /** The machine had no time for the process. Nobody did this on purpose; the process noticed it itself. */
    STARVED(Scope.NODE),
    /** The consumer takes nothing. */
    CONSUMER_HUNG(Scope.ALL),
    /** Producers send many times as fast as before. */
    FLOODED(Scope.ALL);

    /** What a fault concerns. */
    public enum Scope {
        NODE,
        WAY,
        ALL
    }

    private final Scope scope;

    Fault(Scope scope) {
        this.scope = scope;
    }

    /** What it concerns. */
    public Scope scope() {
        return scope;
    }

    /**
     * Returns whether nodes may rightly give each other up because of it. Overloaded nodes still send heartbeats, and
     * delays are shorter than T_s.
     */
    public boolean mayLookLikeDeath() {
        return this == DOWN
                || this == FROZEN
                || this == STORE_LOST
                || this == BLOCKED
                || this == BROKEN
                || this == DAMAGED
                || this == STARVED;
    }

    /** Returns whether the marks of what was handed out and forwarded may stay unwritten meanwhile. */
    public boolean delaysMarks() {
        return this == FROZEN || this == STARVED || this == DISK_FULL || this == DISK_HUNG;
    }

    /** Returns whether it is too much work rather than a failure: full throughput is to be back soon after it. */
    public boolean isOverload() {
        return this == DISK_HUNG || this == SLOW || this == CONSUMER_HUNG || this == FLOODED;
    }
}
