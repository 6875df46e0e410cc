package io.georep.model;

/**
 * A dense series of entries: those one boot of one node accepted into one of its lanes. The entries of a stream are
 * numbered 0, 1, 2 … so that sets of them are ranges and bitmaps, never lists of ids.
 *
 * @param origin the node that accepted the entries
 * @param incarnation number of the origin's boot, at least 1: larger than that of every earlier boot, made of the wall
 *     clock and random bits, so that no id is used twice even when a data directory is lost
 * @param lane number the origin gave to the queue, 0 to {@link #LANE_MAX}
 */
public record StreamId(NodeId origin, long incarnation, int lane) implements Comparable<StreamId> {
    /** Highest lane number. */
    public static final int LANE_MAX = 0xffff;

    public StreamId {
        if (incarnation < 1 || lane < 0 || lane > LANE_MAX) {
            throw new IllegalArgumentException("incarnation " + incarnation + ", lane " + lane);
        }
    }

    @Override
    public int compareTo(StreamId other) {
        int byOrigin = origin.compareTo(other.origin);
        if (byOrigin != 0) {
            return byOrigin;
        }
        int byIncarnation = Long.compare(incarnation, other.incarnation);
        return byIncarnation != 0 ? byIncarnation : Integer.compare(lane, other.lane);
    }

    @Override
    public String toString() {
        return origin + ":" + incarnation + ":" + lane;
    }
}
