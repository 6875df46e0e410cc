package io.georep.geopaxos.core.messages;

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
 * @param kind {@link #SERVICE}, {@link #MOVE} or {@link #READ}
 * @param client who wants it; with {@code sequence}, the same in all attempts
 * @param sequence its number among those of the client; 0 if nobody repeats it: then it has no client
 * @param acked the client needs no answers to operations up to this number any more
 * @param low all attempts of this contact and incarnation with a lower number are in the logs of all their groups
 * @param clock the timestamp that its contact wants, the same in all groups: then one round is enough if they agree; 0 for none
 * @param body of the operation, for the service or this package
 */
public record Operation(
        OpId id, int groups, int kind, long client, long sequence, long acked, long low, long clock, Slice body) {
    /** For the service. */
    public static final int SERVICE = 1;

    /** See {@link Move}. */
    public static final int MOVE = 2;

    /** For the service, which changes nothing by it. So it may be executed any number of times, and no result is kept. */
    public static final int READ = 3;

    /** The longest body. Messages, entries and all that is stored of an operation are little longer. */
    public static final int BODY_BYTES_MAX = 1 << 20;

    /** The most keys and objects of an operation. */
    public static final int KEYS_MAX = 1024;

    /** Flag in the byte of the kind: a wanted timestamp follows. */
    private static final int AT_ONCE = 0x10;

    /** The bound of all numbers here, which no count reaches. */
    public static final long NUMBER_MAX = 1L << 60;

    /** Creates an operation that needs a SYNC if several groups order it. */
    public Operation(OpId id, int groups, int kind, long client, long sequence, long acked, long low, Slice body) {
        this(id, groups, kind, client, sequence, acked, low, 0, body);
    }

    /**
     * Checks what came from another node. It may name groups that were added, and that this node has not heard of yet.
     *
     * @throws MalformedException if it could not be processed
     */
    public void check() {
        boolean fits = (groups & ~GeoGroups.all(GeoGroups.MAX)) == 0;
        if (fits && kind == MOVE) {
            Move move = Move.read(body);
            fits = move.from() > 0 && move.to() > 0 && ((move.from() | move.to()) & ~groups) == 0;
        }
        if (!fits) {
            throw new MalformedException("an operation of kind " + kind + " for the groups " + groups);
        }
    }

    public boolean isForService() {
        return kind == SERVICE || kind == READ;
    }

    public boolean isSingle() {
        return Integer.bitCount(groups) == 1;
    }

    /** Returns whether it is executed as soon as all its groups have ordered it, and their clocks have passed that. */
    public boolean isAtOnce() {
        return clock > 0;
    }

    /** Returns whether it may be repeated. */
    public boolean isNumbered() {
        return sequence > 0;
    }

    public boolean isOrderedBy(int group) {
        return (groups >> group & 1) != 0;
    }

    public void write(BinWriter out) {
        id.write(out);
        out.i32(groups).u8(isAtOnce() ? kind | AT_ONCE : kind).varint(sequence);
        if (isNumbered()) {
            out.i64(client).varint(acked);
        }
        out.varint(low);
        if (isAtOnce()) {
            out.varint(clock);
        }
        out.bytes(body);
    }

    /** Reads one. Its body is a part of what is read. */
    public static Operation read(BinReader in) {
        OpId id = OpId.read(in);
        int groups = in.i32();
        int type = in.u8();
        int kind = type & ~AT_ONCE;
        if (groups <= 0 || kind < SERVICE || kind > READ) {
            throw new MalformedException("an operation of kind " + type + " for the groups " + groups);
        }
        long sequence = number(in, "sequence");
        long client = sequence > 0 ? in.i64() : 0;
        long acked = sequence > 0 ? in.varint(sequence - 1, "acknowledged sequence") : 0;
        long low = number(in, "lowest number");
        long clock = type == kind ? 0 : number(in, "clock");
        if (type != kind && clock == 0) {
            throw new MalformedException("an operation at once at no time");
        }
        Slice body = in.bytes();
        if (body.length() > BODY_BYTES_MAX) {
            throw new MalformedException("an operation of " + body.length() + " bytes, at most " + BODY_BYTES_MAX);
        }
        return new Operation(id, groups, kind, client, sequence, acked, low, clock, body);
    }

    private static long number(BinReader in, String what) {
        return in.varint(NUMBER_MAX, what);
    }
}
