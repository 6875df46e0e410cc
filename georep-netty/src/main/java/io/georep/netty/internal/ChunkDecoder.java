package io.georep.netty.internal;

import io.georep.codec.MalformedException;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.zip.CRC32C;

/**
 * Accepting end of a link: turns bytes, however split, into frames and life signs. It buffers nothing but the frames that
 * are arriving, one urgent and one not; a partial chunk waits in the array its frame is delivered in. The first byte that
 * breaks the format ends the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
final class ChunkDecoder extends ChannelInboundHandlerAdapter {
    private final NodeIdentity from;
    private final int frameBytesMax;
    private final Transport.Listener listener;
    private final LinkCounters counters;
    private final LimitedLog log;

    private final Reassembly urgent = new Reassembly();
    private final Reassembly bulk = new Reassembly();
    private final CRC32C crc = new CRC32C();

    /** Header bytes of a chunk as they trickle in; the third number exists in first fragments only. */
    private final int[] header = new int[3];

    private int headerBytes;
    private int headerNeeded = ChunkFormat.HEADER_BYTES;
    private Reassembly current = bulk;
    private int bodyLeft;
    private boolean inBody;
    private boolean failed;

    ChunkDecoder(
            NodeIdentity from, int frameBytesMax, Transport.Listener listener, LinkCounters counters, LimitedLog log) {
        this.from = from;
        this.frameBytesMax = frameBytesMax;
        this.listener = listener;
        this.counters = counters;
        this.log = log;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            counters.bytesIn.add(in.readableBytes());
            while (!failed && in.isReadable()) {
                if (!inBody) {
                    readHeader(in);
                }
                if (inBody) {
                    readBody(in);
                }
            }
        } catch (MalformedException e) {
            fail(context, String.valueOf(e.getMessage()));
        } finally {
            in.release();
        }
    }

    private void readHeader(ByteBuf in) {
        if (headerBytes == 0 && in.readableBytes() >= ChunkFormat.HEADER_BYTES) {
            header[0] = in.readInt();
            header[1] = in.readInt();
            headerBytes = ChunkFormat.HEADER_BYTES;
        }
        while (true) {
            if (headerBytes == ChunkFormat.HEADER_BYTES) {
                headerNeeded = isFirstFragment() ? ChunkFormat.HEADER_BYTES + ChunkFormat.TOTAL_BYTES : headerBytes;
            }
            if (headerBytes == headerNeeded) {
                startBody();
                return;
            }
            if (!in.isReadable()) {
                return;
            }
            int number = headerBytes >>> 2;
            header[number] = (header[number] << 8) | in.readUnsignedByte();
            headerBytes++;
        }
    }

    private boolean isFirstFragment() {
        return (header[0] & ChunkFormat.MORE) != 0 && !reassembly().isActive();
    }

    private Reassembly reassembly() {
        return (header[0] & ChunkFormat.URGENT) != 0 ? urgent : bulk;
    }

    private void startBody() {
        int word = header[0];
        int length = word & ChunkFormat.LENGTH_MASK;
        boolean more = (word & ChunkFormat.MORE) != 0;
        if ((word & ~(ChunkFormat.MORE | ChunkFormat.URGENT | ChunkFormat.LENGTH_MASK)) != 0) {
            throw new MalformedException("unknown flags in chunk header 0x" + Integer.toHexString(word));
        }
        if (length > ChunkFormat.BODY_MAX) {
            throw new MalformedException("a chunk of " + length + " bytes, at most " + ChunkFormat.BODY_MAX);
        }
        current = reassembly();
        int prefix = headerNeeded - ChunkFormat.HEADER_BYTES;
        bodyLeft = length - prefix;
        if (bodyLeft <= 0 && (more || current.isActive())) {
            throw new MalformedException("a fragment without content");
        }
        crc.reset();
        ChunkFormat.update(crc, word);
        if (!current.isActive()) {
            int total = prefix == 0 ? length : header[2];
            if (total < 0 || total > frameBytesMax) {
                throw new MalformedException("a frame of " + Integer.toUnsignedString(total)
                        + " bytes, frameBytesMax here is " + frameBytesMax);
            }
            if (prefix != 0) {
                ChunkFormat.update(crc, total);
            }
            current.begin(total);
        }
        current.expect(bodyLeft, !more);
        inBody = true;
    }

    private void readBody(ByteBuf in) {
        int count = Math.min(bodyLeft, in.readableBytes());
        current.append(in, count);
        bodyLeft -= count;
        if (bodyLeft > 0) {
            return;
        }
        current.check(crc);
        if ((int) crc.getValue() != header[1]) {
            throw new MalformedException("wrong checksum of a chunk");
        }
        inBody = false;
        headerBytes = 0;
        headerNeeded = ChunkFormat.HEADER_BYTES;
        byte[] frame = current.finished();
        if (frame == null) {
            listener.lifeSign(from);
        } else {
            counters.framesIn.increment();
            listener.frame(from, frame);
        }
    }

    private void fail(ChannelHandlerContext context, String reason) {
        failed = true;
        counters.malformed.increment();
        log.warn("closing the link from " + from.id() + " at "
                + context.channel().remoteAddress() + ": " + reason
                + "; it will be dialled again. If this repeats, look for a device that alters the stream, or a version"
                + " of GeoRep that does not fit");
        context.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A reset is how peers die; whoever dialled notices too and says so.
        context.close();
    }

    /** Heap held for frames that are not complete. */
    int reassemblyBytes() {
        return urgent.capacity() + bulk.capacity();
    }
}
