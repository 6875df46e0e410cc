package io.georep.model;

/**
 * A stream: the entries that one boot of one node accepted into one queue. They are numbered 0, 1, 2 … so that sets of them
 * are ranges and bitmaps, never lists of ids.
 *
 * @param origin the node that accepted the entries
 * @param boot number of the origin's boot, at least 1. It is larger than that of every earlier boot. It is made of the wall
 *     clock and random bits, so that no id is used twice even if a data directory is lost
 * @param lane the number that the origin gave to the queue, 0 to {@link #LANE_MAX}
 */
public record StreamId(NodeId origin, long boot, int lane) implements Comparable<StreamId> {
    /** The highest lane number. */
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
