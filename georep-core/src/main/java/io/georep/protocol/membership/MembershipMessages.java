package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * Bodies of the membership messages (channel 1). {@code docs/how-it-works/wire-format.md} tabulates them.
 *
 * <pre>
 * HELLO      varint lines of the sender's list
 * WELCOME    varint count | peer entry*
 * PEERS      varint count | peer entry*
 * HEARTBEAT  i64 digest of the sender's list
 * GOODBYE    varint number | varint awayMillis
 * GOODBYE_OK varint number
 * DIGESTS    u8 answer (1) or question (0) | i64 sum of a bucket * 64
 * CLOCK      varint wall clock in milliseconds
 * </pre>
 */
final class MembershipMessages {
    static final int HELLO = 1;
    static final int WELCOME = 2;
    static final int PEERS = 3;
    static final int HEARTBEAT = 4;
    static final int GOODBYE = 5;
    static final int GOODBYE_OK = 6;
    static final int DIGESTS = 7;

    /** Since version 2. */
    static final int CLOCK = 8;

    /** Size at which a page of a list is closed. Pages are joined one by one, so they need no numbers. */
    static final int PAGE_BYTES = 32 * 1024;

    /** Announcement of an absence; zero means for good. */
    record Goodbye(long number, long awayMillis) {}

    /** The sums of the sender's list by bucket; a question is answered with the receiver's. */
    record Digests(boolean isAnswer, long[] sums) {}

    private MembershipMessages() {}

    /** Returns whether there is such a type. */
    static boolean knows(int type) {
        return type >= HELLO && type <= CLOCK;
    }

    static Slice hello(int lines) {
        return new BinWriter(8).varint(lines).toSlice();
    }

    static long hello(BinReader in) {
        long lines = MembershipBounds.LINES.read(in);
        in.requireEnd("HELLO");
        return lines;
    }

    static Slice digests(Digests digests) {
        BinWriter out = new BinWriter(1 + Digest.BUCKETS * Long.BYTES);
        out.u8(digests.isAnswer() ? 1 : 0);
        for (long sum : digests.sums()) {
            out.i64(sum);
        }
        return out.toSlice();
    }

    static Digests digests(BinReader in) {
        int mark = in.u8();
        if (mark > 1) {
            throw new MalformedException("mark of an answer is " + mark + ", 0 or 1 expected");
        }
        long[] sums = new long[Digest.BUCKETS];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = in.i64();
        }
        in.requireEnd("DIGESTS");
        return new Digests(mark == 1, sums);
    }

    static List<Slice> pages(List<PeerEntry> entries) {
        List<Slice> pages = new ArrayList<>();
        BinWriter body = new BinWriter(1024);
        int count = 0;
        for (PeerEntry entry : entries) {
            entry.write(body);
            count++;
            if (body.size() >= PAGE_BYTES) {
                pages.add(page(count, body));
                count = 0;
            }
        }
        if (count > 0) {
            pages.add(page(count, body));
        }
        return pages;
    }

    private static Slice page(int count, BinWriter body) {
        BinWriter out = new BinWriter(body.size() + 5);
        Slice page = out.varint(count).raw(body.view()).toSlice();
        body.clear();
        return page;
    }

    static List<PeerEntry> entries(BinReader in) {
        int count = in.count(PeerEntry.BYTES_MIN, "peer count");
        List<PeerEntry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(PeerEntry.read(in));
        }
        in.requireEnd("peer list");
        return entries;
    }

    static Slice heartbeat(long digest) {
        return new BinWriter(16).i64(digest).toSlice();
    }

    static Slice goodbye(Goodbye goodbye) {
        return new BinWriter(16)
                .varint(goodbye.number())
                .varint(goodbye.awayMillis())
                .toSlice();
    }

    static Goodbye goodbye(BinReader in) {
        Goodbye goodbye = new Goodbye(MembershipBounds.GOODBYE.read(in), Bound.MILLIS.read(in));
        in.requireEnd("GOODBYE");
        return goodbye;
    }

    static Slice clock(long wallMillis) {
        return new BinWriter(8)
                .varint(Math.min(Math.max(0, wallMillis), Bound.MILLIS.max()))
                .toSlice();
    }

    static long clock(BinReader in) {
        long wallMillis = Bound.MILLIS.read(in);
        in.requireEnd("CLOCK");
        return wallMillis;
    }

    static Slice goodbyeOk(long number) {
        return new BinWriter(16).varint(number).toSlice();
    }

    static long goodbyeOk(BinReader in) {
        long number = MembershipBounds.GOODBYE.read(in);
        in.requireEnd("GOODBYE_OK");
        return number;
    }
}
