package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;

/**
 * The number under which a node leads. No two nodes have the same.
 *
 * @param round the higher one wins; 0 for {@link #NONE} only
 * @param leader whose ballot it is; decides between equal rounds
 */
public record Ballot(long round, NodeId leader) implements Comparable<Ballot> {
    /** The highest round. With an election each millisecond it would be reached in nine thousand years. */
    private static final long ROUND_MAX = 1L << 48;

    /** Lower than every ballot of a node. */
    public static final Ballot NONE = new Ballot(0, NodeId.of("0"));

    /** Returns a ballot of this node that is higher than this one. */
    Ballot next(NodeId node) {
        return new Ballot(Math.addExact(round, 1), node);
    }

    /** Appends the encoding. */
    public void write(BinWriter out) {
        out.varint(round).node(leader);
    }

    /** Reads what {@link #write} has written. */
    public static Ballot read(BinReader in) {
        return new Ballot(in.varint(ROUND_MAX, "round"), in.node());
    }

    @Override
    public int compareTo(Ballot other) {
        int byRound = Long.compare(round, other.round);
        return byRound != 0 ? byRound : leader.compareTo(other.leader);
    }

    @Override
    public String toString() {
        return round + "." + leader;
    }
}
