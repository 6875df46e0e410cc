package io.georep.netty.internal.wire;

import java.util.zip.CRC32C;

/**
 * Bytes of a link after the handshake: a sequence of chunks, all numbers big endian.
 *
 * <pre>
 *  bit 31   30     29..24   23..0
 * +------+--------+-------+-----------+-------------+----------------------------+
 * | more | urgent |   0   | length n  | u32 crc32c  | n bytes: [u32 total] bytes |
 * +------+--------+-------+-----------+-------------+----------------------------+
 * </pre>
 *
 * The checksum covers the first four bytes and the n bytes. A frame of at most {@link #BODY_MAX} bytes is one chunk
 * without {@code more}. A larger one is several chunks of the same urgency, all but the last with {@code more}; the first
 * of them starts with the length of the whole frame. Chunks of one urgent frame may come between those of another one
 * that is not urgent, never the other way round.
 */
public final class ChunkFormat {
    public static final int MORE = 1 << 31;
    public static final int URGENT = 1 << 30;
    public static final int LENGTH_MASK = (1 << 24) - 1;

    /** Length-and-flags word and checksum. */
    public static final int HEADER_BYTES = 8;

    /** Length of the whole frame, in front of its first fragment. */
    public static final int TOTAL_BYTES = 4;

    /** Most bytes after the header. */
    public static final int BODY_MAX = 64 * 1024;

    private ChunkFormat() {}

    /** Starts a checksum with a number that is part of what it covers. */
    public static void update(CRC32C crc, int number) {
        crc.update(number >>> 24);
        crc.update(number >>> 16);
        crc.update(number >>> 8);
        crc.update(number);
    }
}
