package io.georep.codec;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Growing byte buffer with the few encodings the formats use: fixed big-endian numbers (ordered keys), LEB128 varints
 * for small unsigned numbers, length-prefixed bytes and text.
 */
public final class BinWriter {
    private byte[] buffer;
    private int size;

    public BinWriter(int capacity) {
        buffer = new byte[Math.max(16, capacity)];
    }

    public BinWriter() {
        this(64);
    }

    private void room(int bytes) {
        int needed = Math.addExact(size, bytes);
        if (needed > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(needed, buffer.length + (buffer.length >> 1)));
        }
    }

    /** Writes the low eight bits of the value. */
    public BinWriter u8(int value) {
        room(1);
        buffer[size++] = (byte) value;
        return this;
    }

    /** Writes two bytes, big endian. */
    public BinWriter u16(int value) {
        return u8(value >>> 8).u8(value);
    }

    /** Writes four bytes, big endian. */
    public BinWriter i32(int value) {
        return u16(value >>> 16).u16(value);
    }

    /** Writes eight bytes, big endian, so that keys with non-negative numbers are sorted. */
    public BinWriter i64(long value) {
        return i32((int) (value >>> 32)).i32((int) value);
    }

    /** Writes a varint: one to ten bytes with seven bits each, lowest first. The value counts as unsigned. */
    public BinWriter varint(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            buffer[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[size++] = (byte) rest;
        return this;
    }

    /** Writes bytes without their length. */
    public BinWriter raw(byte[] bytes, int offset, int length) {
        room(length);
        System.arraycopy(bytes, offset, buffer, size, length);
        size += length;
        return this;
    }

    /** Writes bytes without their length. */
    public BinWriter raw(Slice bytes) {
        return raw(bytes.array(), bytes.offset(), bytes.length());
    }

    /** Writes the length as a varint, then the bytes. */
    public BinWriter bytes(Slice bytes) {
        return varint(bytes.length()).raw(bytes);
    }

    /** Writes the length in bytes as a varint, then the text in UTF-8. */
    public BinWriter text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return varint(utf8.length).raw(utf8, 0, utf8.length);
    }

    /** Writes the name of a node. */
    public BinWriter node(NodeId id) {
        return text(id.value());
    }

    /** Writes a stream: origin, boot, lane. */
    public BinWriter stream(StreamId stream) {
        return node(stream.origin()).varint(stream.boot()).varint(stream.lane());
    }

    /** Returns how many bytes were written. */
    public int size() {
        return size;
    }

    /** Forgets what was written; earlier slices of this writer become invalid. */
    public void clear() {
        size = 0;
    }

    /** Returns what was written, shared with the writer and valid until the next write. */
    public Slice view() {
        return new Slice(buffer, 0, size);
    }

    /** Returns a copy of what was written. */
    public byte[] toArray() {
        return Arrays.copyOf(buffer, size);
    }

    /** Returns a copy of what was written. */
    public Slice toSlice() {
        return Slice.of(toArray());
    }
}
