package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;

/**
 * One attempt to have an operation executed. It stands as a whole in the log of each group that orders it: so an acceptor never votes for
 * an operation that it does not hold, and a log needs nothing from elsewhere.
 *
 * @param id of this attempt
 * @param groups that order it, as a set of bits
 * @param kind {@link #SERVICE}, {@link #MOVE} or {@link #PRUNE}
 * @param client who wants it; with {@code sequence}, the same in all attempts
 * @param sequence its number among those of the client
 * @param acked the client needs no answers to operations up to this number any more
 * @param low all attempts of this contact and incarnation with a lower number are in the logs of all their groups
 * @param body of the operation, for the service or this package
 */
record Operation(OpId id, int groups, int kind, long client, long sequence, long acked, long low, Slice body) {
    /** For the service. */
    static final int SERVICE = 1;

    /** See {@link Move}. */
    static final int MOVE = 2;

    /** Forgets results that clients need no more. Ordered by all groups. */
    static final int PRUNE = 3;

    boolean isSingle() {
        return Integer.bitCount(groups) == 1;
    }

    boolean isOrderedBy(int group) {
        return (groups >> group & 1) != 0;
    }

    void write(BinWriter out) {
        id.write(out);
        out.i32(groups).u8(kind).i64(client).varint(sequence).varint(acked).varint(low);
        out.bytes(body);
    }

    static Operation read(BinReader in) {
        OpId id = OpId.read(in);
        int groups = in.i32();
        int kind = in.u8();
        if (groups <= 0 || kind < SERVICE || kind > PRUNE) {
            throw new MalformedException("an operation of kind " + kind + " for the groups " + groups);
        }
        // It is kept for longer than the message that it came in.
        return new Operation(
                id,
                groups,
                kind,
                in.i64(),
                in.varint(),
                in.varint(),
                in.varint(),
                Slice.of(in.bytes().toArray()));
    }
}
