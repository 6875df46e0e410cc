package io.georep.codec;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import java.nio.charset.StandardCharsets;

/**
 * Reads what {@link BinWriter} wrote. Every read is checked against the end, and every length against what is left,
 * so hostile input takes no more memory than its own size. All errors are {@link MalformedException}s.
 */
public final class BinReader {
    private final byte[] array;
    private final int end;
    private int position;

    public BinReader(Slice bytes) {
        array = bytes.array();
        position = bytes.offset();
        end = bytes.offset() + bytes.length();
    }

    /** Returns how many bytes are left. */
    public int remaining() {
        return end - position;
    }

    /** Returns whether anything is left. */
    public boolean hasMore() {
        return position < end;
    }

    /** Requires that nothing is left. */
    public void requireEnd(String what) {
        if (hasMore()) {
            throw new MalformedException(remaining() + " bytes after the end of " + what);
        }
    }

    /** Reads one byte as 0 to 255. */
    public int u8() {
        need(1);
        return array[position++] & 0xff;
    }

    /** Reads two bytes, big endian. */
    public int u16() {
        return (u8() << 8) | u8();
    }

    /** Reads four bytes, big endian. */
    public int i32() {
        return (u16() << 16) | u16();
    }

    /** Reads eight bytes, big endian. */
    public long i64() {
        return ((long) i32() << 32) | (i32() & 0xffffffffL);
    }

    /** Reads a varint of at most ten bytes. */
    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int next = u8();
            value |= (long) (next & 0x7f) << shift;
            if ((next & 0x80) == 0) {
                if (shift == 63 && next > 1) {
                    break;
                }
                return value;
            }
        }
        throw new MalformedException("varint longer than 64 bits at byte " + position);
    }

    /** Reads a varint that must lie in [0, max]. */
    public long varint(long max, String what) {
        long value = varint();
        if (value < 0 || value > max) {
            throw new MalformedException(what + " is " + Long.toUnsignedString(value) + ", at most " + max);
        }
        return value;
    }

    /** Reads a count, a varint, of items of at least {@code bytesEach} bytes: never more than the rest can hold. */
    public int count(int bytesEach, String what) {
        return (int) varint(remaining() / Math.max(1, bytesEach), what);
    }

    /** Reads this many bytes, which are shared and not copied. */
    public Slice raw(int length) {
        need(length);
        Slice slice = new Slice(array, position, length);
        position += length;
        return slice;
    }

    /** Reads a length as a varint, then that many bytes, which are shared. */
    public Slice bytes() {
        return raw((int) varint(remaining(), "length"));
    }

    /** Reads a length as a varint, then a text in UTF-8. */
    public String text() {
        Slice utf8 = bytes();
        return new String(utf8.array(), utf8.offset(), utf8.length(), StandardCharsets.UTF_8);
    }

    /** Reads the name of a node. */
    public NodeId node() {
        String text = text();
        try {
            return new NodeId(text);
        } catch (ConfigurationException e) {
            // Without the text, which may be anything when bytes were mixed up: a payload, or lines for a log.
            throw new MalformedException("node id of " + text.length() + " characters is not valid");
        }
    }

    /** Reads a stream: origin, boot, lane. */
    public StreamId stream() {
        NodeId origin = node();
        long boot = Bound.BOOT.read(this);
        return new StreamId(origin, boot, (int) Bound.LANE.read(this));
    }

    private void need(int bytes) {
        if (bytes < 0 || end - position < bytes) {
            throw new MalformedException("needs " + bytes + " bytes, " + remaining() + " left");
        }
    }
}
