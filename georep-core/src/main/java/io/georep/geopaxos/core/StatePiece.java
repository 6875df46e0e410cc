package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.Iterator;

/**
 * A part of the state of a node, under a name of its own: it is stored when it has changed, and sent to nodes that need the state.
 *
 * <pre>
 * piece   = u8 kind | i64 first | i64 second | bytes content
 * head    0          see {@link StateHead}
 * object  1 object   i32 groups | content, as the service writes it
 * client  2 client   varint acknowledged | varint all up to here | varint groups | varint acknowledged in the log of each
 * result  3 client, number of the operation
 * waiting 4 group, timestamp in it   operation | varint timestamp in each group | i32 groups with its SYNC
 * run     5 client, first number     varint last number: these were executed and acknowledged
 * base    6 group, slot     varint slot of the seats | bytes seats      in messages only, as what follows
 * entry   7 group, slot     message of the log that says what was decided
 * </pre>
 */
record StatePiece(Name name, Slice content) {
    static final int HEAD = 0;
    static final int OBJECT = 1;
    static final int CLIENT = 2;
    static final int RESULT = 3;
    static final int WAITING = 4;
    static final int RUN = 5;
    static final int BASE = 6;
    static final int ENTRY = 7;

    /** What tells pieces apart. */
    record Name(int kind, long first, long second) implements Comparable<Name> {
        static Name object(long object) {
            return new Name(OBJECT, object, 0);
        }

        BinWriter write(BinWriter out) {
            return out.u8(kind).i64(first).i64(second);
        }

        static Name read(BinReader in) {
            return new Name(in.u8(), in.i64(), in.i64());
        }

        @Override
        public int compareTo(Name other) {
            int byKind = Integer.compare(kind, other.kind);
            int byFirst = byKind != 0 ? byKind : Long.compare(first, other.first);
            return byFirst != 0 ? byFirst : Long.compare(second, other.second);
        }
    }

    /** Returns objects with their groups, and then the rest. */
    static Iterator<StatePiece> all(Iterator<Service.Content> objects, Placement places, Iterator<StatePiece> rest) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return objects.hasNext() || rest.hasNext();
            }

            @Override
            public StatePiece next() {
                if (!objects.hasNext()) {
                    return rest.next();
                }
                Service.Content next = objects.next();
                return new StatePiece(Name.object(next.object()), object(places.of(next.object()), next.bytes()));
            }
        };
    }

    static Slice object(int groups, Slice content) {
        return new BinWriter(4 + content.length()).i32(groups).raw(content).toSlice();
    }

    void write(BinWriter out) {
        name.write(out).bytes(content);
    }

    static StatePiece read(BinReader in) {
        Name name = Name.read(in);
        if (name.kind > ENTRY) {
            throw new MalformedException("a piece of kind " + name.kind);
        }
        return new StatePiece(name, Slice.of(in.bytes().toArray()));
    }
}
