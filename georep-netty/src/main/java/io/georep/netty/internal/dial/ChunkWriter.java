package io.georep.netty.internal.dial;

import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.spi.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dialling end of a link: takes frames from any thread and writes them as chunks.
 *
 * <p>The event loop takes all of the {@link FrameInbox} at once. A burst of frames therefore costs one wake-up and one flush,
 * however long it is, and a slow socket makes longer bursts.
 *
 * <p>Netty is given little ahead of the socket (the write buffer's marks), because what it has can no longer be
 * overtaken by something urgent.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class ChunkWriter extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkWriter.class);

    /** Largest buffer handed to Netty: two full chunks. */
    private static final int BATCH_BYTES = 2 * (ChunkFormat.BODY_MAX + ChunkFormat.HEADER_BYTES);

    /** Told about the marks of each lane, on the event loop. */
    interface Marks {
        void writable(int lane, boolean writable);
    }

    private final Channel channel;
    private final LinkSettings settings;
    private final LinkCounters counters;
    private final Runnable drain = this::drainOrClose;
    private final LaneRoom room;
    private final FrameInbox inbox;

    // Event loop only.
    private final FrameQueue urgent = new FrameQueue(true);
    private final FrameQueue bulk = new FrameQueue(false);
    private Marks marks = (lane, writable) -> {};

    /** Lanes that are not writable. */
    private final BitSet aboveMark = new BitSet();

    private boolean finishing;

    ChunkWriter(Channel channel, LinkSettings settings, LinkCounters counters) {
        this.channel = channel;
        this.settings = settings;
        this.counters = counters;
        room = new LaneRoom(settings.queueBytesMax());
        inbox = new FrameInbox(room);
    }

    /** What became of a frame. */
    public enum Offered {
        /** There was no room for it. */
        REFUSED,
        /** It is queued. The event loop is awake, or the caller who queued the frame before wakes it. */
        QUEUED,
        /** It is queued, and the event loop does not know of it yet: call {@link #wake}. */
        RESTING
    }

    /**
     * Queues a frame and wakes the event loop, from any thread. A frame that is alone in its lane may be larger than the
     * bound, or it could never be sent.
     *
     * @return whether there was room
     */
    boolean offer(byte[] frame, boolean isUrgent, int lane) {
        Offered offered = queue(frame, isUrgent, lane);
        if (offered == Offered.RESTING) {
            wake();
        }
        return offered != Offered.REFUSED;
    }

    /** Queues a frame like {@link #offer}, but leaves it to the caller to wake the event loop if it rests. */
    public Offered queue(byte[] frame, boolean isUrgent, int lane) {
        return inbox.offer(frame, isUrgent, lane);
    }

    /** Has the event loop take what is queued. */
    public void wake() {
        execute(channel.eventLoop(), drain);
    }

    /**
     * Has the event loops of these writers take what is queued, with one wake-up if all have the same: a thread that is
     * woken for the first link may be done and asleep again before the second is told.
     */
    public static void wakeAll(List<ChunkWriter> writers) {
        if (writers.isEmpty()) {
            return;
        }
        EventLoop loop = writers.get(0).channel.eventLoop();
        if (writers.stream().allMatch(writer -> writer.channel.eventLoop() == loop)) {
            execute(loop, writers.size() == 1 ? writers.get(0).drain : () -> drainAll(writers));
        } else {
            writers.forEach(ChunkWriter::wake);
        }
    }

    private static void execute(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The transport is being closed; frames may be lost with a link.
        }
    }

    private static void drainAll(List<ChunkWriter> writers) {
        for (ChunkWriter writer : writers) {
            writer.drainOrClose();
        }
    }

    /** Says who is told about the marks; before, nobody is. Event loop only. */
    void marks(Marks listener) {
        marks = listener;
    }

    /** Returns bytes that wait here, in Netty or were handed over and not yet taken. */
    public long queuedBytes() {
        return room.bytes();
    }

    /** Closes the channel once everything queued so far is with the operating system. Event loop only. */
    void finish() {
        finishing = true;
        drain();
        closeIfFinished();
    }

    /**
     * Ends this link, and no other, if something cannot be written, perhaps for lack of memory. Nobody would wake the
     * link again.
     */
    private void drainOrClose() {
        try {
            drain();
        } catch (Throwable e) {
            breakOff(e);
        }
    }

    private void breakOff(Throwable cause) {
        try {
            channel.close();
            LOG.warn(
                    "closed a link to {}, which will be dialled again: its frames could not be written; if memory is"
                            + " short, raise -XX:MaxDirectMemorySize or -Xmx",
                    channel.remoteAddress(),
                    cause);
        } catch (Throwable e) {
            // The other links wait for this thread.
        }
    }

    private void drain() {
        for (FrameInbox.Queued next = inbox.takeAll(); next != null; next = next.next) {
            if (next.urgent) {
                urgent.add(next.frame, Transport.IN_ORDER);
            } else {
                bulk.add(next.frame, next.lane);
            }
        }
        pump();
    }

    private void pump() {
        if (!channel.isActive()) {
            urgent.clear();
            bulk.clear();
            return;
        }
        boolean wrote = false;
        while (channel.isWritable() && !(urgent.isEmpty() && bulk.isEmpty())) {
            writeBatch();
            wrote = true;
        }
        if (wrote) {
            channel.flush();
        }
        updateMarks();
    }

    /** Copies chunks into one pooled buffer: the only copy between a frame's array and the socket. */
    private void writeBatch() {
        long wireBytes = urgent.wireBytes() + bulk.wireBytes();
        ByteBuf out = channel.alloc().directBuffer((int) Math.min(BATCH_BYTES, wireBytes));
        long cost;
        try {
            cost = fill(out);
        } catch (Throwable e) {
            out.release();
            throw e;
        }
        counters.bytesOut.add(out.writerIndex());
        channel.write(out).addListener(done -> onWritten(cost));
    }

    /** Writes frames and returns what they cost in the inbox. */
    private long fill(ByteBuf out) {
        long cost = 0;
        long frames = 0;
        FrameQueue queue = nextQueue();
        while (!queue.isEmpty() && queue.nextChunkBytes() <= BATCH_BYTES - out.writerIndex()) {
            int lane = queue.nextLane();
            long chunkCost = queue.writeChunk(out);
            if (queue.isBetweenFrames()) {
                chunkCost += FrameInbox.FRAME_OVERHEAD_BYTES;
                frames++;
            }
            if (queue == bulk) {
                room.handOver(chunkCost, lane);
            }
            cost += chunkCost;
            queue = nextQueue();
        }
        counters.framesOut.add(frames);
        return cost;
    }

    private FrameQueue nextQueue() {
        return urgent.isEmpty() ? bulk : urgent;
    }

    private void onWritten(long cost) {
        room.release(cost);
        updateMarks();
        closeIfFinished();
    }

    private void closeIfFinished() {
        if (finishing && room.bytes() == 0) {
            channel.close();
        }
    }

    private void updateMarks() {
        int sharers = room.sharers();
        for (int lane : room.used()) {
            long queued = room.load(lane);
            if (!aboveMark.get(lane) && queued > settings.queueBytesHigh() / sharers) {
                aboveMark.set(lane);
                marks.writable(lane, false);
            } else if (aboveMark.get(lane) && queued <= settings.queueBytesLow() / sharers) {
                aboveMark.clear(lane);
                marks.writable(lane, true);
            }
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            pump();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        // Links are one-way. A peer that talks back follows another protocol than the one agreed on.
        ReferenceCountUtil.release(message);
        context.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
