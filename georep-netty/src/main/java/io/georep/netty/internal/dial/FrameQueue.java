package io.georep.netty.internal.dial;

import io.georep.concurrent.FairLanes;
import io.georep.netty.internal.wire.ChunkFormat;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Frames of one urgency on their way into chunks. Lanes share it; it changes between them where a frame ends. Confined to
 * the event loop of its link.
 */
public final class FrameQueue {
    private record Waiting(byte[] frame, int lane) {}

    private final int flag;
    private final FairLanes<Waiting> waiting = new FairLanes<>();

    /** The frame whose next chunk comes next; null when nothing waits. */
    private @Nullable Waiting current;

    private long frames;
    private final CRC32C crc = new CRC32C();
    private int offset;
    private long bytes;

    public FrameQueue(boolean urgent) {
        flag = urgent ? ChunkFormat.URGENT : 0;
    }

    public void add(byte[] frame, int lane) {
        waiting.add(lane, new Waiting(frame, lane), frame.length + FrameInbox.FRAME_OVERHEAD_BYTES);
        frames++;
        bytes += frame.length;
    }

    public boolean isEmpty() {
        return frames == 0;
    }

    private @Nullable Waiting next() {
        if (current == null) {
            current = waiting.poll();
        }
        return current;
    }

    void clear() {
        waiting.clear();
        current = null;
        frames = 0;
        offset = 0;
        bytes = 0;
    }

    /** Returns about how many bytes all that waits will take in chunks. */
    long wireBytes() {
        return bytes
                + frames * (ChunkFormat.HEADER_BYTES + ChunkFormat.TOTAL_BYTES)
                + bytes / ChunkFormat.BODY_MAX * ChunkFormat.HEADER_BYTES;
    }

    /** Returns bytes the next chunk takes, header included; 0 when nothing waits. */
    int nextChunkBytes() {
        Waiting next = next();
        if (next == null) {
            return 0;
        }
        byte[] frame = next.frame;
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
    public int writeChunk(ByteBuf out) {
        byte[] frame = Objects.requireNonNull(next()).frame;
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
            current = null;
            frames--;
        }
        return count;
    }

    /** Returns the lane of the frame whose chunk comes next. To be called only while something waits. */
    int nextLane() {
        return Objects.requireNonNull(next()).lane;
    }

    /** Returns whether the last chunk ended a frame. */
    boolean isBetweenFrames() {
        return offset == 0;
    }
}
