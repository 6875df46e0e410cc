package io.georep.flagons;

/**
 * A place in the order of a fleet, which is the same for all its nodes. Later places are greater. No two operations have the same one.
 *
 * @param time of a clock that all nodes keep together
 * @param source tells operations of the same time apart
 */
public record FleetPlace(long time, long source) implements Comparable<FleetPlace> {
    /** Before every operation. */
    public static final FleetPlace NONE = new FleetPlace(Long.MIN_VALUE, Long.MIN_VALUE);

    @Override
    public int compareTo(FleetPlace other) {
        int byTime = Long.compare(time, other.time);
        return byTime != 0 ? byTime : Long.compare(source, other.source);
    }
}
