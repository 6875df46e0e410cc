package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;

/**
 * Gives objects to other groups. Ordered by both, and executed for those objects that are still with the former ones. The node
 * that asked for it has decided it, and no node computes it again.
 *
 * @param objects their numbers
 * @param from the former groups
 * @param to the new ones
 */
public record Move(long[] objects, int from, int to) {
    public Slice encode() {
        BinWriter out = new BinWriter(16 + 8 * objects.length).i32(from).i32(to).varint(objects.length);
        for (long object : objects) {
            out.i64(object);
        }
        return out.toSlice();
    }

    public static Move read(Slice body) {
        BinReader in = new BinReader(body);
        int from = in.i32();
        int to = in.i32();
        long[] objects = new long[in.count(8, "objects")];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = in.i64();
        }
        in.requireEnd("the body of an operation");
        return new Move(objects, from, to);
    }
}
