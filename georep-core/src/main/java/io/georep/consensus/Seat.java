package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import java.util.random.RandomGenerator;

/**
 * An acceptor: a node with a certain store. With another store the node has forgotten what it promised, so it has no vote until the
 * others have put the new store in the place of the old one.
 *
 * @param node its name
 * @param store tells the stores of a node apart, see {@link #ANY}
 */
public record Seat(NodeId node, long store) implements Comparable<Seat> {
    /** Stands for any store of the node, as long as the first seats are not decided. */
    public static final long ANY = 0;

    /** Returns a number for a new store: that of one which may forget at a restart is negative. */
    public static long draw(RandomGenerator random, boolean forgets) {
        long drawn = random.nextLong() | 1;
        return forgets ? drawn | Long.MIN_VALUE : drawn & Long.MAX_VALUE;
    }

    /** Returns whether a store may have this number. */
    public static boolean isLike(long store, boolean forgets) {
        return store != ANY && forgets == store < 0;
    }

    /** Returns whether it may be given a vote: its store does not forget at a restart what it said. */
    boolean lasts() {
        return store > 0;
    }

    boolean admits(Seat other) {
        return node.equals(other.node) && (store == ANY || store == other.store);
    }

    void write(BinWriter out) {
        out.node(node).i64(store);
    }

    static Seat read(BinReader in) {
        return new Seat(in.node(), in.i64());
    }

    @Override
    public int compareTo(Seat other) {
        int byNode = node.compareTo(other.node);
        return byNode != 0 ? byNode : Long.compare(store, other.store);
    }
}
