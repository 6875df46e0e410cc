package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Start of every frame. Identity (source, store generation, boot nonce) is fixed per link by the handshake and not
 * repeated here. The incarnation is: it can rise while a link lasts, when a node finds out that its store is older than
 * what its peers know of it (gap G12), and carrying it in each frame is simpler than opening all links anew.
 *
 * <pre>
 * u8 format = 1 | u8 flags (1 = hears, 2 = takes no copies, 4 = cluster word) | varint incarnation | varint number
 * | varint echoNumber | varint echoAgeMicros | varint failoverMillis | [cluster word]
 * </pre>
 *
 * @param incarnation of the source when the frame was put together; never below that of the handshake
 * @param number counts the frames from this source to this destination in this boot, from 1
 * @param echoNumber number of the last frame received from the destination, 0 when none
 * @param echoAgeMicros time since that frame arrived
 * @param hears whether the sender holds the destination Active or Schrödinger
 * @param takesCopies whether the sender's store takes new copies now
 * @param failoverMillis T_s + T_x of the sender: it gives nobody up whom it heard later than that ago
 * @param cluster what the sender says about its cluster; null when the destination has heard it
 */
public record FrameHeader(
        long incarnation,
        long number,
        long echoNumber,
        long echoAgeMicros,
        boolean hears,
        boolean takesCopies,
        long failoverMillis,
        @Nullable ClusterWord cluster) {
    private static final int FORMAT = 1;
    private static final int HEARS = 1;
    private static final int TAKES_NO_COPIES = 2;
    private static final int CLUSTER = 4;

    /** Numbers from the incarnation to failoverMillis. */
    private static final int VARINTS = 5;

    /** A header without a word about the cluster. */
    public FrameHeader(
            long incarnation,
            long number,
            long echoNumber,
            long echoAgeMicros,
            boolean hears,
            boolean takesCopies,
            long failoverMillis) {
        this(incarnation, number, echoNumber, echoAgeMicros, hears, takesCopies, failoverMillis, null);
    }

    /** Appends the header. */
    public void write(BinWriter out) {
        out.u8(FORMAT)
                .u8((hears ? HEARS : 0) | (takesCopies ? 0 : TAKES_NO_COPIES) | (cluster == null ? 0 : CLUSTER))
                .varint(incarnation)
                .varint(number)
                .varint(echoNumber)
                .varint(echoAgeMicros)
                .varint(failoverMillis);
        if (cluster != null) {
            cluster.write(out);
        }
    }

    /** Returns the channel of the first message in a frame; -1 when there is none, or the frame cannot be read. */
    public static int firstChannel(byte[] frame) {
        BinReader in = new BinReader(Slice.of(frame));
        try {
            in.u8();
            int flags = in.u8();
            for (int field = 0; field < VARINTS; field++) {
                in.varint();
            }
            if ((flags & CLUSTER) != 0) {
                ClusterWord.read(in);
            }
            return in.hasMore() ? in.u8() : -1;
        } catch (MalformedException e) {
            return -1; // the reader of the frame reports it
        }
    }

    /** Reads a header. */
    public static FrameHeader read(BinReader in) {
        int format = in.u8();
        if (format != FORMAT) {
            throw new MalformedException("frame format " + format + ", this version reads " + FORMAT);
        }
        int flags = in.u8();
        if ((flags & ~(HEARS | TAKES_NO_COPIES | CLUSTER)) != 0) {
            throw new MalformedException("unknown flags " + flags + " in a frame's header");
        }
        return new FrameHeader(
                Bound.INCARNATION.read(in),
                MembershipBounds.FRAME.read(in),
                MembershipBounds.ECHO.read(in),
                MembershipBounds.MICROS.read(in),
                (flags & HEARS) != 0,
                (flags & TAKES_NO_COPIES) == 0,
                Bound.MILLIS.read(in),
                (flags & CLUSTER) == 0 ? null : ClusterWord.read(in));
    }
}
