package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.keys.KeySpace;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Key spaces in the store and on the wire. All keys of the store start with the channel byte.
 *
 * <pre>
 * 03 'L' u8 length, name, key    value of a local record
 * 03 'R' u8 length, name, key    replicated record: version, content
 * 03 'T'                         i64 clock, written when marks of deletions are dropped
 * version = varint epoch | node | i64 boot
 * content = u8 0 deleted and varint wall clock milliseconds at which the mark is dropped,
 *           or u8 1 and the value's bytes to the end
 * </pre>
 */
final class KeyLayout {
    /** See {@link KeyProtocol#CHANNEL}. */
    static final int CHANNEL = 3;

    private static final int DELETED = 0;
    private static final int PRESENT = 1;

    private KeyLayout() {}

    /** The bounds of the clock and of what it gave: the epochs of versions. */
    static final Bound EPOCH = Bound.count("epoch");

    /** A key of the store, taken apart. */
    record Place(String space, byte[] key) {}

    static byte[] local(String space, byte[] key) {
        return place('L', space, key);
    }

    static byte[] replicated(String space, byte[] key) {
        return place('R', space, key);
    }

    static byte[] clock() {
        return new byte[] {CHANNEL, 'T'};
    }

    /** Returns the first key of a kind. */
    static byte[] first(char kind) {
        return new byte[] {CHANNEL, (byte) kind};
    }

    /** Returns the first key behind a kind. */
    static byte[] behind(char kind) {
        return first((char) (kind + 1));
    }

    static Place place(byte[] stored) {
        BinReader in = new BinReader(new Slice(stored, 2, stored.length - 2));
        String space = text(in.raw(in.u8()));
        return new Place(space, in.raw(in.remaining()).toArray());
    }

    static Slice content(KeyVersion version, byte @Nullable [] value, long endsAtMillis) {
        BinWriter out = new BinWriter(48 + (value == null ? 0 : value.length));
        write(version, out);
        out.u8(value == null ? DELETED : PRESENT);
        if (value == null) {
            out.varint(endsAtMillis);
        } else {
            out.raw(value, 0, value.length);
        }
        return out.toSlice();
    }

    static void write(KeyVersion version, BinWriter out) {
        out.varint(version.epoch()).node(version.node()).i64(version.boot());
    }

    static KeyVersion version(BinReader in) {
        long epoch = EPOCH.read(in);
        NodeId node = in.node();
        return new KeyVersion(epoch, node, in.i64());
    }

    /** Returns what follows a version in the store; after a null, when the mark is dropped. */
    static byte @Nullable [] value(BinReader in) {
        return isPresent(in) ? in.raw(in.remaining()).toArray() : null;
    }

    static boolean isPresent(BinReader in) {
        int kind = in.u8();
        if (kind != DELETED && kind != PRESENT) {
            throw new MalformedException("kind of a record is " + kind);
        }
        return kind == PRESENT;
    }

    /** Name of a space, from the wire. */
    static String space(BinReader in) {
        Slice name = in.bytes();
        if (name.length() == 0 || name.length() > KeySpace.NAME_BYTES_MAX) {
            throw new MalformedException(
                    "name of a key space takes " + name.length() + " bytes, at most " + KeySpace.NAME_BYTES_MAX);
        }
        String text = text(name);
        if (!Slice.utf8(text).equals(name)) {
            // This node would pass it on in other bytes, perhaps in more than are allowed.
            throw new MalformedException("name of a key space is not UTF-8");
        }
        return text;
    }

    private static String text(Slice utf8) {
        return new String(utf8.array(), utf8.offset(), utf8.length(), StandardCharsets.UTF_8);
    }

    private static byte[] place(char kind, String space, byte[] key) {
        byte[] name = space.getBytes(StandardCharsets.UTF_8);
        return new BinWriter(3 + name.length + key.length)
                .u8(CHANNEL)
                .u8(kind)
                .u8(name.length)
                .raw(name, 0, name.length)
                .raw(key, 0, key.length)
                .toArray();
    }
}
