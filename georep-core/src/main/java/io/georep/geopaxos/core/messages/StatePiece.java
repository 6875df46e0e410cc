package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;

/**
 * A part of the state of a node, under a name of its own: it is stored when it has changed, and sent to nodes that need the state.
 *
 * <pre>
 * piece   = u8 kind | i64 first | i64 second | bytes content
 * head    0          see {@link io.georep.geopaxos.core.execution.StateHead}
 * object  1 object   i32 groups | content, as the service writes it
 * client  2 client   varint acknowledged | varint all up to here | varint groups | varint acknowledged in the log of each
 * result  3 client, number of the operation
 * waiting 4 group, timestamp in it   operation | varint timestamp in each group | i32 groups with its SYNC
 * run     5 client, first number     varint last number: these were executed and acknowledged
 * base    6 group, slot     varint slot of the seats | bytes seats      in messages only, as what follows
 * entry   7 group, slot     message of the log that says what was decided
 * </pre>
 */
public record StatePiece(Name name, Slice content) {
    public static final int HEAD = 0;
    public static final int OBJECT = 1;
    public static final int CLIENT = 2;
    public static final int RESULT = 3;
    public static final int WAITING = 4;
    public static final int RUN = 5;
    public static final int BASE = 6;
    public static final int ENTRY = 7;

    /** What tells pieces apart. */
    public record Name(int kind, long first, long second) implements Comparable<Name> {
        public static Name object(long object) {
            return new Name(OBJECT, object, 0);
        }

        public BinWriter write(BinWriter out) {
            return out.u8(kind).i64(first).i64(second);
        }

        public static Name read(BinReader in) {
            return new Name(in.u8(), in.i64(), in.i64());
        }

        @Override
        public int compareTo(Name other) {
            int byKind = Integer.compare(kind, other.kind);
            int byFirst = byKind != 0 ? byKind : Long.compare(first, other.first);
            return byFirst != 0 ? byFirst : Long.compare(second, other.second);
        }
    }

    public static Slice object(int groups, Slice content) {
        return new BinWriter(4 + content.length()).i32(groups).raw(content).toSlice();
    }

    public void write(BinWriter out) {
        name.write(out).bytes(content);
    }

    public static StatePiece read(BinReader in) {
        Name name = Name.read(in);
        if (name.kind > ENTRY) {
            throw new MalformedException("a piece of kind " + name.kind);
        }
        return new StatePiece(name, Slice.of(in.bytes().toArray()));
    }
}
