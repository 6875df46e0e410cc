package io.georep.flagons.core;

import io.georep.codec.SplitMix;

/**
 * The place of an event in the order of the fleet. No two events have the same one: a source never uses a time twice.
 *
 * @param time the time of the source's {@link FleetClock}
 * @param source the node that has made the event
 */
public record OrderKey(long time, long source) implements Comparable<OrderKey> {
    /** Before every event. */
    public static final OrderKey FIRST = new OrderKey(Long.MIN_VALUE, Long.MIN_VALUE);

    /** Behind every event. */
    static final OrderKey LAST = new OrderKey(Long.MAX_VALUE, Long.MAX_VALUE);

    @Override
    public int compareTo(OrderKey other) {
        int byTime = Long.compare(time, other.time);
        return byTime != 0 ? byTime : Long.compare(source, other.source);
    }

    /** Returns the later of two places. */
    public static OrderKey max(OrderKey a, OrderKey b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** Returns a number that spreads evenly over all places. */
    long hash() {
        return SplitMix.mixed(time + SplitMix.mixed(source));
    }
}
