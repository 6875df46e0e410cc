package io.georep.protocol;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;

/**
 * Start of every frame. Identity (source, incarnation, store generation) is fixed per link by the handshake and not
 * repeated here.
 *
 * <pre>
 * u8 format = 1 | u8 flags (1 = hears) | varint number | varint echoNumber | varint echoAgeMicros
 * </pre>
 *
 * @param number counts the frames from this source to this destination in this boot, from 1
 * @param echoNumber number of the last frame received from the destination, 0 when none
 * @param echoAgeMicros time since that frame arrived
 * @param hears whether the sender holds the destination Active or Schrödinger
 */
public record FrameHeader(long number, long echoNumber, long echoAgeMicros, boolean hears) {
    private static final int FORMAT = 1;
    private static final int HEARS = 1;

    /** Appends the header. */
    public void write(BinWriter out) {
        out.u8(FORMAT).u8(hears ? HEARS : 0).varint(number).varint(echoNumber).varint(echoAgeMicros);
    }

    /** Reads a header. */
    public static FrameHeader read(BinReader in) {
        int format = in.u8();
        if (format != FORMAT) {
            throw new MalformedException("frame format " + format + ", this version reads " + FORMAT);
        }
        int flags = in.u8();
        return new FrameHeader(
                in.varint(Long.MAX_VALUE, "frame number"),
                in.varint(Long.MAX_VALUE, "echo number"),
                in.varint(Long.MAX_VALUE / 1000, "echo age"),
                (flags & HEARS) != 0);
    }
}
