package io.georep.flagons.core;

/**
 * The decisions on which the order rests, one method each. Tests replace one of them by a known error and see that
 * the checks notice it.
 */
class FleetRules {
    /** Returns whether an event comes too late: its place is not behind the last one that was delivered here. */
    boolean isLate(OrderKey key, OrderKey last) {
        return key.compareTo(last) <= 0;
    }

    /** Returns whether a stable event may be delivered before an unstable one with a smaller place. */
    boolean mayPass(OrderKey stable, OrderKey unstable) {
        return false;
    }

    /** Returns up to which place operations count for a look at a place. */
    OrderKey visibleTo(OrderKey at) {
        return at;
    }

    /** Returns whether a node answers for a key. */
    boolean mayAnswer(boolean hasAll) {
        return hasAll;
    }

    /** Returns whether a node makes events. */
    boolean mayBroadcast(boolean hasHeard) {
        return hasHeard;
    }
}
