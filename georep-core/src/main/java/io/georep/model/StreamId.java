package io.georep.model;

/**
 * A dense series of entries: those one boot of one node accepted into one of its lanes. The entries of a stream are
 * numbered 0, 1, 2 … so that sets of them are ranges and bitmaps, never lists of ids.
 *
 * @param origin the node that accepted the entries
 * @param boot number of the origin's boot, at least 1: larger than that of every earlier boot, made of the
 *     wall clock and random bits so that no id is used twice even when a data directory is lost
 * @param lane number the origin gave to the queue, 0 to {@link #LANE_MAX}
 */
public record StreamId(NodeId origin, long boot, int lane) implements Comparable<StreamId> {
    /** Highest lane number. */
    public static final int LANE_MAX = 0xffff;

    public StreamId {
        if (boot < 1 || lane < 0 || lane > LANE_MAX) {
            throw new IllegalArgumentException("boot " + boot + ", lane " + lane);
        }
    }

    @Override
    public int compareTo(StreamId other) {
        int byOrigin = origin.compareTo(other.origin);
        if (byOrigin != 0) {
            return byOrigin;
        }
        int byBoot = Long.compare(boot, other.boot);
        return byBoot != 0 ? byBoot : Integer.compare(lane, other.lane);
    }

    @Override
    public String toString() {
        return origin + ":" + boot + ":" + lane;
    }
}
