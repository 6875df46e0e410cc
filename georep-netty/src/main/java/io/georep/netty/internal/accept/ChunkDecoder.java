package io.georep.netty.internal.accept;

import io.georep.codec.MalformedException;
import io.georep.logging.LimitedLog;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.netty.internal.wire.DistrustException;
import io.georep.spi.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The accepting end of a link: turns bytes, however split, into frames and life signs. It buffers only the frames
 * that are arriving, one urgent and one not; a partial chunk waits in the array in which its frame is delivered. The
 * connection ends at the first byte that breaks the format.
 *
 * <p>A large frame needs {@link ReassemblyRoom}. While there is none, the link is not read. What the peer sends
 * meanwhile waits in its socket, so the peer counts as alive.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class ChunkDecoder extends ChannelInboundHandlerAdapter implements ReassemblyRoom.Tenant {
    /** Time between life signs of a peer that is not read for lack of room. */
    private static final long WAITING_PAUSE_MILLIS = 250;

    private final NodeIdentity from;
    private final int frameBytesMax;
    private final Transport.Listener listener;
    private final LinkCounters counters;
    private final LimitedLog log;
    private final Admission admission;
    private final ReassemblyRoom room;
    private final ReassemblyRoom.Share share;

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

    /** What was read while the link waits for room. */
    private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();

    private @Nullable ChannelHandlerContext context;
    private @Nullable ScheduledFuture<?> waiting;

    public ChunkDecoder(
            NodeIdentity from,
            int frameBytesMax,
            Transport.Listener listener,
            LinkCounters counters,
            LimitedLog log,
            Admission admission,
            ReassemblyRoom room) {
        this.from = from;
        this.frameBytesMax = frameBytesMax;
        this.listener = listener;
        this.counters = counters;
        this.log = log;
        this.admission = admission;
        this.room = room;
        share = room.enter(this, from.id());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext reader, Object message) {
        ByteBuf in = (ByteBuf) message;
        counters.bytesIn.add(in.readableBytes());
        if (waiting != null) {
            unread.add(in);
        } else {
            read(reader, in);
        }
    }

    private void read(ChannelHandlerContext reader, ByteBuf in) {
        try {
            while (!failed && waiting == null && in.isReadable()) {
                if (!inBody) {
                    readHeader(reader, in);
                }
                if (inBody) {
                    readBody(in);
                }
            }
            if (waiting != null && in.isReadable()) {
                unread.addFirst(in.retain());
            }
        } catch (MalformedException e) {
            fail(reader, String.valueOf(e.getMessage()));
        } finally {
            in.release();
        }
    }

    private void readHeader(ChannelHandlerContext reader, ByteBuf in) {
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
                startBody(reader);
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

    private void startBody(ChannelHandlerContext reader) {
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
            if (isLarge(total) && !room.take(share, total)) {
                waitForRoom(reader);
                return;
            }
            current.begin(total);
        }
        current.expect(bodyLeft, !more);
        inBody = true;
    }

    private static boolean isLarge(int frameBytes) {
        return frameBytes > Reassembly.BELIEVED_BYTES;
    }

    private void waitForRoom(ChannelHandlerContext reader) {
        admission.crowded(reader.channel(), true);
        waiting = reader.executor()
                .scheduleWithFixedDelay(
                        () -> waited(reader), WAITING_PAUSE_MILLIS, WAITING_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Memory may have been too short to tell it. */
    private void waited(ChannelHandlerContext reader) {
        try {
            if (share.waits()) {
                listener.lifeSign(from);
                room.look();
            } else {
                goOn(reader);
            }
        } catch (Throwable e) {
            // A task that throws would not be called again.
        }
    }

    @Override
    public void granted() {
        onEventLoop(this::goOn);
    }

    /** Only the first fragment of a large frame waits, of which the whole header has been read. */
    private void goOn(ChannelHandlerContext reader) {
        if (waiting == null || share.waits()) {
            // This notice is late: the link has gone on already, and may wait for room for the next frame.
            return;
        }
        try {
            current.begin(header[2]);
            current.expect(bodyLeft, false);
            inBody = true;
        } catch (MalformedException e) {
            fail(reader, String.valueOf(e.getMessage()));
        }
        stopWaiting();
        try {
            for (ByteBuf in = unread.poll(); in != null; in = waiting == null ? unread.poll() : null) {
                read(reader, in);
            }
            if (waiting == null) {
                admission.crowded(reader.channel(), false);
            }
        } catch (Throwable e) {
            // A part of the frame is lost, and nobody reads on.
            exceptionCaught(reader, e);
        }
    }

    private void stopWaiting() {
        ScheduledFuture<?> pending = waiting;
        if (pending != null) {
            pending.cancel(false);
            waiting = null;
        }
    }

    @Override
    public void expelled() {
        onEventLoop(reader -> {
            log.warn(
                    "closing the link from " + from.id() + " at "
                            + reader.channel().remoteAddress()
                            + ": it brings nothing more of a large frame, and others wait for its room; it will be dialled again");
            reader.close();
        });
    }

    private void onEventLoop(Consumer<ChannelHandlerContext> task) {
        ChannelHandlerContext reader = Objects.requireNonNull(context, "context");
        try {
            reader.executor().execute(() -> task.accept(reader));
        } catch (RejectedExecutionException e) {
            // The transport is being closed.
        }
    }

    private void readBody(ByteBuf in) {
        int count = Math.min(bodyLeft, in.readableBytes());
        current.append(in, count);
        bodyLeft -= count;
        if (isLarge(current.total())) {
            share.brings(count);
        }
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
            if (isLarge(frame.length)) {
                room.give(share, frame.length);
            }
            counters.framesIn.increment();
            listener.frame(from, frame, current == urgent);
        }
    }

    private void fail(ChannelHandlerContext reader, String reason) {
        failed = true;
        counters.malformed.increment();
        log.warn("closing the link from " + from.id() + " at "
                + reader.channel().remoteAddress() + ": " + reason
                + "; it will be dialled again. If this repeats, look for a device that alters the stream, or a version"
                + " of GeoRep that does not fit");
        reader.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext reader, Throwable cause) {
        if (cause instanceof DistrustException && !failed) {
            fail(reader, String.valueOf(cause.getMessage()));
        } else {
            // A peer that dies resets the connection. The side that dialled notices it, too, and logs it.
            reader.close();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext reader) {
        stopWaiting();
        unread.forEach(ByteBuf::release);
        unread.clear();
        room.leave(share);
    }

    /** Returns heap held for frames that are not complete. */
    public int reassemblyBytes() {
        return urgent.capacity() + bulk.capacity();
    }
}
