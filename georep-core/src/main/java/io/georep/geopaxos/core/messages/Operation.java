package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * One attempt to have an operation executed. It stands as a whole in the log of each group that orders it: so an acceptor never votes for
 * an operation that it does not hold, and a log needs nothing from elsewhere.
 *
 * @param id of this attempt
 * @param groups that order it, as a set of bits
 * @param kind {@link #SERVICE}, {@link #MOVE}, {@link #PRUNE} or {@link #READ}
 * @param client who wants it; with {@code sequence}, the same in all attempts
 * @param sequence its number among those of the client
 * @param acked the client needs no answers to operations up to this number any more
 * @param low all attempts of this contact and incarnation with a lower number are in the logs of all their groups
 * @param body of the operation, for the service or this package
 */
public record Operation(OpId id, int groups, int kind, long client, long sequence, long acked, long low, Slice body) {
    /** For the service. */
    public static final int SERVICE = 1;

    /** See {@link Move}. */
    public static final int MOVE = 2;

    /** Forgets results that clients need no more, and clients that have ended. Ordered by all groups that have objects. */
    public static final int PRUNE = 3;

    /** For the service, which changes nothing by it. So it may be executed any number of times, and no result is kept. */
    public static final int READ = 4;

    /** The longest body. Messages, entries and all that is stored of an operation are little longer. */
    public static final int BODY_BYTES_MAX = 1 << 20;

    /** The most keys and objects of an operation. */
    public static final int KEYS_MAX = 1024;

    /** Nobody counts this far. */
    public static final long NUMBER_MAX = 1L << 60;

    /**
     * Checks what came from another node. It may name groups that were added, and that this node has not heard of yet.
     *
     * @throws MalformedException if it could not be processed where so many groups were founded
     */
    public void check(int founded) {
        boolean fits = (groups & ~GeoGroups.all(GeoGroups.MAX)) == 0
                && (kind != PRUNE || (GeoGroups.all(founded) & ~groups) == 0);
        if (kind == PRUNE) {
            ended(body);
        }
        if (fits && kind == MOVE) {
            Move move = Move.read(body);
            fits = move.from() > 0 && move.to() > 0 && ((move.from() | move.to()) & ~groups) == 0;
        }
        if (!fits) {
            throw new MalformedException("an operation of kind " + kind + " for the groups " + groups + ", where "
                    + founded + " were founded");
        }
    }

    /** Returns the body of an operation that forgets. */
    public static Slice prune(long[] ended) {
        BinWriter out = new BinWriter(9 + 8 * ended.length).varint(ended.length);
        for (long client : ended) {
            out.i64(client);
        }
        return out.toSlice();
    }

    /** Reads which clients have ended. */
    public static List<Long> ended(Slice body) {
        BinReader in = new BinReader(body);
        List<Long> ended = new ArrayList<>();
        for (int left = in.count(8, "clients"); left > 0; left--) {
            ended.add(in.i64());
        }
        in.requireEnd("the body of an operation");
        return ended;
    }

    public boolean isForService() {
        return kind == SERVICE || kind == READ;
    }

    public boolean isSingle() {
        return Integer.bitCount(groups) == 1;
    }

    public boolean isPrune() {
        return kind == PRUNE;
    }

    public boolean isOrderedBy(int group) {
        return (groups >> group & 1) != 0;
    }

    public void write(BinWriter out) {
        id.write(out);
        out.i32(groups).u8(kind).i64(client).varint(sequence).varint(acked).varint(low);
        out.bytes(body);
    }

    /** Reads one. Its body is a part of what is read. */
    public static Operation read(BinReader in) {
        OpId id = OpId.read(in);
        int groups = in.i32();
        int kind = in.u8();
        if (groups <= 0 || kind < SERVICE || kind > READ) {
            throw new MalformedException("an operation of kind " + kind + " for the groups " + groups);
        }
        long client = in.i64();
        long sequence = number(in, "sequence");
        long acked = number(in, "acknowledged sequence");
        long low = number(in, "lowest number");
        Slice body = in.bytes();
        if (body.length() > BODY_BYTES_MAX) {
            throw new MalformedException("an operation of " + body.length() + " bytes, at most " + BODY_BYTES_MAX);
        }
        return new Operation(id, groups, kind, client, sequence, acked, low, body);
    }

    private static long number(BinReader in, String what) {
        return in.varint(NUMBER_MAX, what);
    }
}
