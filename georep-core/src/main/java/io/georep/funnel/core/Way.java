package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/**
 * The way of a message with data: along a chain of members, each of which passes on what it got, unchanged. Members without a link
 * are skipped; the update protocol helps them.
 *
 * <pre>
 * way = u8 length | u8 rank*        length 0: to one member only
 * </pre>
 */
final class Way {
    /** Large values travel in parts of this size. */
    static final int PART_BYTES = 32 << 10;

    /** To one member only. */
    static final int[] DIRECT = {};

    private Way() {}

    static void write(int[] chain, BinWriter out) {
        int length = chain.length == 1 ? 0 : chain.length;
        out.u8(length);
        for (int i = 0; i < length; i++) {
            out.u8(chain[i]);
        }
    }

    static int[] read(BinReader in, int members) {
        int length = in.u8();
        if (length >= members) {
            throw new MalformedException("chain of " + length + " in a view of " + members + " members");
        }
        int[] chain = new int[length];
        for (int i = 0; i < length; i++) {
            chain[i] = in.u8();
            if (chain[i] >= members) {
                throw new MalformedException("rank " + chain[i] + " in a view of " + members + " members");
            }
        }
        return chain;
    }

    /** Returns the next member behind this node that has a link; the first one if this node is not in the chain. */
    private static @Nullable Peer next(int[] chain, FunnelContext context) {
        int from = 0;
        for (int i = 0; i < chain.length; i++) {
            from = chain[i] == context.standing.rank() ? i + 1 : from;
        }
        for (int i = from; i < chain.length; i++) {
            Peer peer = context.member(chain[i]);
            if (peer != null) {
                return peer;
            }
        }
        return null;
    }

    /** Sends to the next member of a chain. */
    static void send(int[] chain, int type, Slice message, FunnelContext context, Turn turn) {
        Peer to = next(chain, context);
        if (to != null) {
            turn.send(to, type, message, false);
            context.planner.sent(message.length(), turn.now());
        }
    }
}
