package io.georep.netty.internal;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;

/** Frames of one urgency on their way into chunks, in order. Confined to the event loop of its link. */
final class FrameQueue {
    private final int flag;
    private final ArrayDeque<byte[]> frames = new ArrayDeque<>();
    private final CRC32C crc = new CRC32C();
    private int offset;
    private long bytes;

    FrameQueue(boolean urgent) {
        flag = urgent ? ChunkFormat.URGENT : 0;
    }

    void add(byte[] frame) {
        frames.add(frame);
        bytes += frame.length;
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    void clear() {
        frames.clear();
        offset = 0;
        bytes = 0;
    }

    /** About as many bytes as all that waits will take in chunks. */
    long wireBytes() {
        return bytes
                + (long) frames.size() * (ChunkFormat.HEADER_BYTES + ChunkFormat.TOTAL_BYTES)
                + bytes / ChunkFormat.BODY_MAX * ChunkFormat.HEADER_BYTES;
    }

    /** Bytes the next chunk takes, header included; 0 when nothing waits. */
    int nextChunkBytes() {
        byte[] frame = frames.peek();
        if (frame == null) {
            return 0;
        }
        return ChunkFormat.HEADER_BYTES + Math.min(ChunkFormat.BODY_MAX, totalBytes(frame) + frame.length - offset);
    }

    private int totalBytes(byte[] frame) {
        return offset == 0 && frame.length > ChunkFormat.BODY_MAX ? ChunkFormat.TOTAL_BYTES : 0;
    }

    /**
     * Writes one chunk.
     *
     * @return how many bytes of the frame it holds
     */
    int writeChunk(ByteBuf out) {
        byte[] frame = frames.element();
        int total = totalBytes(frame);
        int rest = frame.length - offset;
        int count = Math.min(rest, ChunkFormat.BODY_MAX - total);
        int word = (total + count) | flag | (count < rest ? ChunkFormat.MORE : 0);
        crc.reset();
        ChunkFormat.update(crc, word);
        if (total > 0) {
            ChunkFormat.update(crc, frame.length);
        }
        crc.update(frame, offset, count);
        out.writeInt(word).writeInt((int) crc.getValue());
        if (total > 0) {
            out.writeInt(frame.length);
        }
        out.writeBytes(frame, offset, count);
        bytes -= count;
        offset += count;
        if (count == rest) {
            offset = 0;
            frames.remove();
        }
        return count;
    }

    /** Whether the last chunk ended a frame. */
    boolean isBetweenFrames() {
        return offset == 0;
    }
}
