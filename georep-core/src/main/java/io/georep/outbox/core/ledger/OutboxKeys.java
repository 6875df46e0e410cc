package io.georep.outbox.core.ledger;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import java.nio.charset.StandardCharsets;

/**
 * Key space of the outbox in the store; all keys start with its channel byte.
 *
 * <pre>
 * 02 'A' stream i64 sequence     failed attempts
 * 02 'B'                         number of the last boot
 * 02 'D' stream i64 sequence     dead letter
 * 02 'F' i64 number              facts of one turn
 * 02 'G' stream i64 first        group of entries (payload)
 * 02 'S' i64 part                snapshot of the tables
 * 02 'W'                         longest T_s + T_x that others may go by
 * stream = u8 length, origin, i64 incarnation, u16 lane
 * </pre>
 */
public final class OutboxKeys {
    /** Channel of the outbox. */
    public static final int CHANNEL = 2;

    private OutboxKeys() {}

    static byte[] boot() {
        return start('B', 2).toArray();
    }

    public static byte[] failover() {
        return start('W', 2).toArray();
    }

    public static byte[] failoverEnd() {
        return start('W' + 1, 2).toArray();
    }

    public static byte[] group(StreamId stream, long first) {
        return streamKey('G', stream, first);
    }

    public static byte[] attempts(StreamId stream, long sequence) {
        return streamKey('A', stream, sequence);
    }

    /** Returns the first of all keys of failed attempts. */
    public static byte[] attempts() {
        return start('A', 2).toArray();
    }

    /** After all keys of failed attempts. */
    public static byte[] attemptsEnd() {
        return start('A' + 1, 2).toArray();
    }

    /** Returns the entry a key with stream and sequence number is about. */
    public static EntryId entry(byte[] key) {
        BinReader in = new BinReader(new Slice(key, 2, key.length - 2));
        String origin = new String(in.raw(in.u8()).toArray(), StandardCharsets.US_ASCII);
        StreamId stream = new StreamId(NodeId.of(origin), in.i64(), in.u16());
        return new EntryId(stream, in.i64());
    }

    public static byte[] deadLetter(StreamId stream, long sequence) {
        return streamKey('D', stream, sequence);
    }

    public static byte[] fact(long number) {
        return numbered('F', number);
    }

    public static byte[] snapshot(long part) {
        return numbered('S', part);
    }

    static long factNumber(byte[] key) {
        return lastNumber(key);
    }

    /** Returns the sequence number at the end of a group or dead letter key, the number at the end of any other. */
    public static long lastNumber(byte[] key) {
        return new BinReader(new Slice(key, key.length - 8, 8)).i64();
    }

    private static byte[] numbered(char kind, long number) {
        return start(kind, 10).i64(number).toArray();
    }

    private static byte[] streamKey(char kind, StreamId stream, long number) {
        byte[] origin = stream.origin().value().getBytes(StandardCharsets.US_ASCII);
        return start(kind, 21 + origin.length)
                .u8(origin.length)
                .raw(origin, 0, origin.length)
                .i64(stream.boot())
                .u16(stream.lane())
                .i64(number)
                .toArray();
    }

    private static BinWriter start(int kind, int capacity) {
        return new BinWriter(capacity).u8(CHANNEL).u8(kind);
    }
}
