package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;

/**
 * Names one attempt to order an operation. Nobody else gives the same number, so an id never comes with other groups. It also decides
 * between operations with the same timestamp.
 *
 * @param contact the node that asked the groups
 * @param incarnation of that node
 * @param number rises within the incarnation
 */
public record OpId(NodeId contact, long incarnation, long number) implements Comparable<OpId> {
    private static final int RANDOM_BITS = 20;

    /** Returns an incarnation later than all of earlier times. */
    public static long incarnation(long millis, long random) {
        return ((millis & ((1L << (Long.SIZE - 1 - RANDOM_BITS)) - 1)) << RANDOM_BITS)
                | (random & ((1L << RANDOM_BITS) - 1));
    }

    /** Returns one later than this one. Another boot that knows as much as this one takes another one. */
    public static long later(long incarnation, long random) {
        return incarnation((incarnation >>> RANDOM_BITS) + 1, random);
    }

    void write(BinWriter out) {
        out.node(contact).varint(incarnation).varint(number);
    }

    static OpId read(BinReader in) {
        return new OpId(in.node(), in.varint(Long.MAX_VALUE, "incarnation"), in.varint(Operation.NUMBER_MAX, "number"));
    }

    @Override
    public int compareTo(OpId other) {
        int byNumber = Long.compare(number, other.number);
        if (byNumber != 0) {
            return byNumber;
        }
        int byContact = contact.compareTo(other.contact);
        return byContact != 0 ? byContact : Long.compare(incarnation, other.incarnation);
    }

    @Override
    public String toString() {
        return contact + "." + incarnation + "." + number;
    }
}
