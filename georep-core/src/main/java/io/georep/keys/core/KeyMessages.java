package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Messages between key spaces.
 *
 * <pre>
 * message = varint clock | rest
 * PUT     = varint request | u8 final (1) or not | varint count | record*
 * ACK     = varint request | u8 status
 * RECORDS = varint count | record*
 * ASK     = i64 number | varint count | part*
 * TELL    = i64 number | varint count | sums* | varint count | varint leaf* (cut short) | varint count | record*
 * part    = u8 level | varint part | i64 sum | at the lowest level: varint count | i64 hash*
 * sums    = u8 level | varint part | 16 i64, of its children
 * </pre>
 */
final class KeyMessages {
    static final int PUT = 1;
    static final int ACK = 2;
    static final int RECORDS = 3;
    static final int ASK = 4;
    static final int TELL = 5;

    /** Status: all records, or later ones of the same writer, are durable. */
    static final int STORED = 0;

    /** Status: at least one of them is older than what this node has. */
    static final int OUTDATED = 1;

    /** Status: this node takes nothing now. */
    static final int REFUSED = 2;

    private KeyMessages() {}

    /** What every message begins with. */
    record Head(long clock) {
        static Head read(BinReader in) {
            return new Head(KeyLayout.EPOCH.read(in));
        }
    }

    /**
     * Records that the receiver should store and confirm. If one of them is older than what the receiver has, the receiver
     * takes none of them; unless the message is final: then it takes the others, and confirms.
     */
    record Put(long request, boolean isFinal, List<KeyRecord> records) {
        static Put read(BinReader in) {
            return new Put(in.varint(), in.u8() == 1, readRecords(in));
        }
    }

    /** Answer to PUT. */
    record Ack(long request, int status) {
        static Ack read(BinReader in) {
            long request = in.varint();
            int status = in.u8();
            if (status > REFUSED) {
                throw new MalformedException("status of a put is " + status);
            }
            return new Ack(request, status);
        }
    }

    /** A part of the tree about which a node asks: the sum that the part has there and, for a leaf, the records it has. */
    record Part(int level, int part, long sum, long[] hashes) {
        void write(BinWriter out) {
            out.u8(level).varint(part).i64(sum);
            if (level == HashTree.LEVELS) {
                out.varint(hashes.length);
                for (long hash : hashes) {
                    out.i64(hash);
                }
            }
        }

        static Part read(BinReader in) {
            int level = in.u8();
            int part = readPart(level, HashTree.LEVELS, in);
            long sum = in.i64();
            long[] hashes = new long[level == HashTree.LEVELS ? in.count(Long.BYTES, "hashes") : 0];
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] = in.i64();
            }
            return new Part(level, part, sum, hashes);
        }
    }

    /** The sums of the children of a part. */
    record Sums(int level, int part, long[] children) {
        void write(BinWriter out) {
            out.u8(level).varint(part);
            for (long sum : children) {
                out.i64(sum);
            }
        }

        static Sums read(BinReader in) {
            int level = in.u8();
            int part = readPart(level, HashTree.LEVELS - 1, in);
            long[] children = new long[HashTree.CHILDREN];
            for (int i = 0; i < children.length; i++) {
                children[i] = in.i64();
            }
            return new Sums(level, part, children);
        }
    }

    private static int readPart(int level, int levelMax, BinReader in) {
        if (level > levelMax) {
            throw new MalformedException("level " + level + " of the tree, at most " + levelMax);
        }
        return (int) in.varint(HashTree.partsAt(level) - 1L, "part of the tree");
    }

    static BinWriter start(KeyTable table) {
        return new BinWriter(256).varint(table.clock());
    }

    static Slice put(KeyTable table, long request, boolean isFinal, Collection<StoredKey> records, long now) {
        return records(start(table).varint(request).u8(isFinal ? 1 : 0), records, now);
    }

    static Slice ack(KeyTable table, long request, int status) {
        return start(table).varint(request).u8(status).toSlice();
    }

    static Slice records(BinWriter out, Collection<StoredKey> records, long now) {
        out.varint(records.size());
        for (StoredKey record : records) {
            KeyRecord.write(record, now, out);
        }
        return out.toSlice();
    }

    static List<KeyRecord> readRecords(BinReader in) {
        List<KeyRecord> records = new ArrayList<>();
        for (int left = KeyRecord.count(in); left > 0; left--) {
            records.add(KeyRecord.read(in));
        }
        return records;
    }
}
