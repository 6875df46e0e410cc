package io.georep.netty.internal.accept;

import io.georep.codec.MalformedException;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The frame of one urgency that is arriving. Its bytes go straight into the array that is handed out in the end. The
 * length that the sender claims is believed up to {@link #BELIEVED_BYTES}; beyond that, the array is at most twice as
 * long as what has come.
 */
public final class Reassembly {
    /** A group of entries of the default size fits, so that it is copied once only. */
    public static final int BELIEVED_BYTES = 320 * 1024;

    private static final byte[] NONE = new byte[0];

    private byte[] bytes = NONE;
    private int size;
    private int total;
    private int checked;
    private boolean active;

    /** Returns whether a frame has begun and not ended. */
    boolean isActive() {
        return active;
    }

    /** Returns the length of the whole frame. */
    int total() {
        return total;
    }

    void begin(int frameBytes) {
        active = true;
        total = frameBytes;
        size = 0;
        checked = 0;
        bytes = frameBytes == 0 ? NONE : new byte[Math.min(frameBytes, BELIEVED_BYTES)];
    }

    /** Makes room for the next chunk. */
    void expect(int chunkBytes, boolean last) {
        int end = size + chunkBytes;
        if (end > total || last != (end == total)) {
            throw new MalformedException(
                    "fragments bring " + end + (last ? "" : " and more") + " bytes of a frame of " + total + " bytes");
        }
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(total, Math.max(end, 2L * bytes.length)));
        }
    }

    void append(ByteBuf in, int count) {
        in.readBytes(bytes, size, count);
        size += count;
    }

    /** Adds the bytes of the chunk that has just ended to its checksum. */
    void check(CRC32C crc) {
        crc.update(bytes, checked, size - checked);
        checked = size;
    }

    /** Returns the frame when it is complete, else null. */
    byte @Nullable [] finished() {
        if (size < total) {
            return null;
        }
        byte[] frame = bytes;
        bytes = NONE;
        active = false;
        return frame;
    }

    /** Returns bytes of heap in use. */
    int capacity() {
        return bytes.length;
    }
}
