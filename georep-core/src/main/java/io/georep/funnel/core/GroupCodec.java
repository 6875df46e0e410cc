package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.WriteOptions;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.Stamp;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups of writes on the wire and in the store.
 *
 * <pre>
 * group    = varint view | node head | varint counter and varint clock of the first write | varint count | write*
 * write    = u8 kind (+ 16 with a time to live, + 32 with a client) | bytes key | [varint lifeMillis, or end] | [client] | rest
 * client   = text name | varint operation
 * rest     = PUT, PUT_IF_ABSENT: bytes value; REPLACE: bytes expected | bytes value; EXPIRE: varint clock | node head; REMOVE: nothing
 * </pre>
 */
final class GroupCodec {
    private static final int EXPIRES = 16;
    private static final int CLIENT = 32;
    private static final int KIND = 15;
    private static final int WRITE_BYTES_MIN = 2;
    private static final long LIFE_MILLIS_MAX = WriteOptions.TIME_TO_LIVE_MAX.toMillis();

    private GroupCodec() {}

    /** Encodes a write of an application or of the tail. */
    static Write.Content content(
            int kind,
            Slice key,
            @Nullable Slice value,
            @Nullable Slice expected,
            long lifeMillis,
            @Nullable String client,
            long operation,
            @Nullable Stamp expiring,
            BinWriter scratch) {
        scratch.clear();
        scratch.u8(kind | (lifeMillis > 0 ? EXPIRES : 0) | (client == null ? 0 : CLIENT))
                .bytes(key);
        if (lifeMillis > 0) {
            scratch.varint(lifeMillis);
        }
        if (client != null) {
            scratch.text(client).varint(operation);
        }
        if (expected != null) {
            scratch.bytes(expected);
        }
        if (value != null) {
            scratch.bytes(value);
        }
        if (expiring != null) {
            expiring.write(scratch);
        }
        return new Write.Content(
                kind, key, value, expected, lifeMillis, client, operation, expiring, scratch.toSlice());
    }

    static UncommittedGroup group(long view, NodeId head, long counter, long clock, List<Slice> encodedWrites) {
        int bytes = 40 + head.value().length();
        for (Slice write : encodedWrites) {
            bytes += write.length();
        }
        BinWriter out = new BinWriter(bytes)
                .varint(view)
                .node(head)
                .varint(counter)
                .varint(clock)
                .varint(encodedWrites.size());
        encodedWrites.forEach(out::raw);
        return new UncommittedGroup(view, head, counter, clock, encodedWrites.size(), out.view());
    }

    /** Reads a group to the end of its bytes, whose array is kept. */
    static List<Write> read(Slice encoded) {
        BinReader in = new BinReader(encoded);
        long view = FunnelBounds.VIEW.read(in);
        NodeId head = in.node();
        long counter = FunnelBounds.COUNTER.read(in);
        long clock = FunnelBounds.CLOCK.read(in);
        int count = in.count(WRITE_BYTES_MIN, "writes");
        if (view < 1 || counter < 1 || clock < 1 || count < 1) {
            throw new MalformedException("group of " + count + " writes from view " + view + ", counter " + counter
                    + ", clock " + clock + ": all are at least 1");
        }
        UncommittedGroup group = new UncommittedGroup(view, head, counter, clock, count, encoded);
        List<Write> writes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int from = encoded.length() - in.remaining();
            writes.add(new Write(group, counter + i, clock + i, content(in, encoded, from)));
        }
        in.requireEnd("a group");
        return writes;
    }

    private static Write.Content content(BinReader in, Slice all, int from) {
        int head = in.u8();
        int kind = head & KIND;
        if (kind < Write.PUT || kind > Write.EXPIRE || (head & ~(KIND | EXPIRES | CLIENT)) != 0) {
            throw new MalformedException("kind of a write is " + head);
        }
        Slice key = in.bytes();
        boolean isExpire = kind == Write.EXPIRE;
        long lifeMax = isExpire ? FunnelBounds.WALL_MILLIS.max() : LIFE_MILLIS_MAX;
        long lifeMillis = (head & EXPIRES) == 0 ? 0 : in.varint(lifeMax, "time to live");
        if (isExpire && lifeMillis == 0) {
            throw new MalformedException("a removal at the end of a time to live names no end");
        }
        String client = (head & CLIENT) == 0 ? null : in.text();
        long operation = client == null ? 0 : in.varint(Long.MAX_VALUE, "operation");
        Slice expected = kind == Write.REPLACE ? in.bytes() : null;
        Slice value = kind == Write.REMOVE || isExpire ? null : in.bytes();
        Stamp expiring = isExpire ? Stamp.read(in) : null;
        int length = all.length() - in.remaining() - from;
        Slice encoded = new Slice(all.array(), all.offset() + from, length);
        return new Write.Content(kind, key, value, expected, lifeMillis, client, operation, expiring, encoded);
    }
}
