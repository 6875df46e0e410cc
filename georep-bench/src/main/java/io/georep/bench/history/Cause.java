package io.georep.bench.history;

/** Why an entry was forwarded more than once; see the promises in {@code docs/use/guarantees.md}. */
public enum Cause {
    /** The node died after the consumer had taken the entry, and before the mark of that was durable. */
    CRASH_BEFORE_MARK,
    /** The store with the mark was lost, or replaced by an older one. */
    MARK_LOST_WITH_STORE,
    /** Another node took the entry over, because it had given its holder up. */
    ADOPTION
}
